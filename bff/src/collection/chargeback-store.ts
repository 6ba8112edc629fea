import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { CollectionKey } from "./collection.ts";

/** An amount that a patient's bank has taken back. `id` is the processor's id. */
export interface Chargeback extends CollectionKey {
  readonly id: string;
  readonly chargeId: string;
  readonly amount: Clp;
  readonly at: Date;
}

/** Stores a chargeback unless it is already known. Returns whether it is new. */
export async function insertChargeback(tx: Transaction, chargeback: Chargeback, notedAt: Date): Promise<boolean> {
  const result = await tx
    .insertInto("chargebacks")
    .values({
      provider_id: chargeback.providerId,
      id: chargeback.id,
      order_id: chargeback.orderId,
      charge_id: chargeback.chargeId,
      amount: chargeback.amount,
      at: chargeback.at,
      noted_at: notedAt,
      released_at: null,
      lost_at: null,
      won_at: null,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "id"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** True if a chargeback of the order waits for an operator. */
export async function hasOpenChargeback(db: Database, key: CollectionKey): Promise<boolean> {
  const row = await db
    .selectFrom("chargebacks")
    .select("id")
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("released_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks the order's chargebacks as handled by an operator, so that its collection may continue. */
export async function releaseChargebacks(tx: Transaction, key: CollectionKey, at: Date): Promise<void> {
  await tx
    .updateTable("chargebacks")
    .set({ released_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("released_at", "is", null)
    .execute();
}

/**
 * Marks the order's undecided chargebacks as lost and returns them. With `onlyOpen`, only those that still wait for an
 * operator.
 */
export async function loseChargebacks(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  { at, onlyOpen }: { readonly at: Date; readonly onlyOpen: boolean },
): Promise<{ id: string; amount: Clp }[]> {
  const rows = await tx
    .updateTable("chargebacks")
    .set({ lost_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("lost_at", "is", null)
    .where("won_at", "is", null)
    .$if(onlyOpen, (query) => query.where("released_at", "is", null))
    .returning(["id", "amount"])
    .execute();
  return rows.map(({ id, amount }) => ({ id, amount: clp(amount) }));
}

/**
 * The amount that the bank has taken back of each of the order's charges; 0 if all of a charge's chargebacks were won.
 */
export async function selectDisputed(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
): Promise<{ chargeId: string; disputed: Clp; lost: Clp }[]> {
  const { rows } = await sql<{ charge_id: string; disputed: number; lost: number }>`
    select charge_id, coalesce(sum(amount) filter (where won_at is null), 0) as disputed,
      coalesce(sum(amount) filter (where lost_at is not null), 0) as lost
    from chargebacks where provider_id = ${providerId} and order_id = ${orderId}
    group by charge_id
  `.execute(tx);
  return rows.map(({ charge_id: chargeId, disputed, lost }) => ({
    chargeId,
    disputed: clp(disputed),
    lost: clp(lost),
  }));
}

/** Marks the order's undecided chargebacks as won and returns their amounts. */
export async function winChargebacks(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  at: Date,
): Promise<Clp[]> {
  const rows = await tx
    .updateTable("chargebacks")
    .set({ won_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("lost_at", "is", null)
    .where("won_at", "is", null)
    .returning("amount")
    .execute();
  return rows.map(({ amount }) => clp(amount));
}

export const chargebackKeys: RawBuilder<unknown> = sql`select provider_id, id from chargebacks`;

/** The processor's ids of a provider's chargebacks that an operator has marked as won or lost. */
export async function selectSettled(db: Database, providerId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("chargebacks")
    .select("id")
    .where("provider_id", "=", providerId)
    .where((where) => where.or([where("won_at", "is not", null), where("lost_at", "is not", null)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
