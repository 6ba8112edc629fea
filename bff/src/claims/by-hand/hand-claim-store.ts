import type { Selectable } from "kysely";
import { type RawBuilder, sql } from "kysely";
import { HAND_FILING_HOURS_MAX } from "../../contract/terms.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { HandWorkedClaimsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../../platform/exceptions.ts";

interface OrderKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

export type HandWorkedClaim = Selectable<HandWorkedClaimsRow>;

/** Queues the claim of an order, or gives a queued one the key of another call. A number that was entered stays. */
export async function queueClaim(
  db: Database,
  { providerId, orderId, key, at }: OrderKey & { readonly key: string; readonly at: Date },
): Promise<HandWorkedClaim> {
  return db
    .insertInto("hand_worked_claims")
    .values({ provider_id: providerId, order_id: orderId, filing_key: key, queued_at: at })
    .onConflict((conflict) =>
      conflict.columns(["provider_id", "order_id"]).doUpdateSet({ filing_key: key, queued_at: at, lacking: null }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Adds a claim that a connector has filed, so that an operator enters its answer. */
export async function insertFiled(
  tx: Transaction,
  { providerId, orderId, key, at }: OrderKey & { readonly key: string; readonly at: Date },
  { insurer, number }: NumberAtInsurer,
): Promise<void> {
  const entered = { insurer, insurer_claim_id: number, filed_at: at };
  await tx
    .insertInto("hand_worked_claims")
    .values({ provider_id: providerId, order_id: orderId, filing_key: key, queued_at: at, ...entered })
    .onConflict((conflict) =>
      conflict.columns(["provider_id", "order_id"]).doUpdateSet({ ...entered, filing_key: key }),
    )
    .execute();
}

/** Takes a claim out of the queue. Returns false if it is not queued, or already filed. */
export async function unqueueClaim(tx: Transaction, { providerId, orderId }: OrderKey): Promise<boolean> {
  const result = await tx
    .deleteFrom("hand_worked_claims")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("insurer_claim_id", "is", null)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function findByKey(db: Database, providerId: string, key: string): Promise<HandWorkedClaim | null> {
  const row = await db
    .selectFrom("hand_worked_claims")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("filing_key", "=", key)
    .executeTakeFirst();
  return row ?? null;
}

/** A number names a claim at its isapre; two isapres may give the same one. */
export interface NumberAtInsurer {
  /** Null for a claim that was filed before the isapre was stored. */
  readonly insurer: string | null;
  readonly number: string;
}

export async function findByNumber(
  db: Database,
  providerId: string,
  { insurer, number }: NumberAtInsurer,
): Promise<HandWorkedClaim | null> {
  const row = await db
    .selectFrom("hand_worked_claims")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("insurer", insurer === null ? "is" : "=", insurer)
    .where("insurer_claim_id", "=", number)
    .executeTakeFirst();
  return row ?? null;
}

type Entered = Partial<
  Pick<
    HandWorkedClaim,
    "lacking" | "insurer" | "insurer_claim_id" | "filed_at" | "answer" | "reimbursed" | "answered_at" | "reason"
  >
>;

/** Records what an operator entered. Returns false if the claim is not at that point (any more). */
export async function writeEntered(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  at: "to_file" | "to_answer",
  entered: Entered,
): Promise<boolean> {
  const result = await tx
    .updateTable("hand_worked_claims")
    .set(entered)
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("insurer_claim_id", at === "to_file" ? "is" : "is not", null)
    .where("answer", "=", "waiting")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Erases the isapre's answers to a patient's claims. `orders` selects `provider_id, order_id`. */
export async function emptyHandWorked(tx: Transaction, orders: RawBuilder<unknown>): Promise<void> {
  await sql`update hand_worked_claims h set reimbursed = null, reason = null, lacking = null
    from (${orders}) as o where h.provider_id = o.provider_id and h.order_id = o.order_id`.execute(tx);
}

/** The claims that an operator has to file or to answer. Only those whose claim still waits for that. */
export function handWorkedQueries(): readonly ExceptionQuery[] {
  return [
    { rows: toFile("claim_to_file") },
    { rows: toFile("claim_to_file_late"), afterHours: HAND_FILING_HOURS_MAX },
    { rows: toAnswer },
  ];
}

function toFile(kind: string): RawBuilder<ExceptionRow> {
  return sql`
    select ${kind}::text as kind, h.provider_id, c.id::text as subject, h.order_id, h.queued_at as since,
      '{}'::jsonb as facts
    from hand_worked_claims h join claims c on c.provider_id = h.provider_id and c.order_id = h.order_id
    where h.insurer_claim_id is null and h.lacking is null and c.state = 'filing'`;
}

const toAnswer: RawBuilder<ExceptionRow> = sql`
  select 'claim_to_answer' as kind, h.provider_id, c.id::text as subject, h.order_id, h.filed_at as since,
    jsonb_build_object('insurer_claim_id', h.insurer_claim_id) as facts
  from hand_worked_claims h join claims c on c.provider_id = h.provider_id and c.order_id = h.order_id
  where h.insurer_claim_id is not null and h.answer = 'waiting' and c.state = 'filed'`;
