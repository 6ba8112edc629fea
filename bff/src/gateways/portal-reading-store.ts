import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { GatewayCall } from "./gateway-call.ts";

/** What an operator read in a party's portal about one call. */
export interface PortalReading {
  readonly wasDone: boolean;
  readonly amount: Clp;
  /** The number of the movement in the portal; null if there is none. */
  readonly reference: string | null;
}

type CallName = Pick<GatewayCall, "providerId" | "idempotencyKey">;

export async function readPortalReading(
  db: Database,
  { providerId, idempotencyKey }: CallName,
): Promise<PortalReading | null> {
  const row = await db
    .selectFrom("portal_readings")
    .select(["was_done", "amount", "reference"])
    .where("provider_id", "=", providerId)
    .where("idempotency_key", "=", idempotencyKey)
    .executeTakeFirst();
  return row === undefined ? null : { wasDone: row.was_done, amount: clp(row.amount), reference: row.reference };
}

/** Records a reading. Returns false if there is one already: the first is final. */
export async function insertPortalReading(
  tx: Transaction,
  { providerId, idempotencyKey }: CallName,
  { wasDone, amount, reference, actor, at }: PortalReading & { readonly actor: string; readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto("portal_readings")
    .values({
      provider_id: providerId,
      idempotency_key: idempotencyKey,
      was_done: wasDone,
      amount,
      reference,
      actor,
      read_at: at,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "idempotency_key"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
