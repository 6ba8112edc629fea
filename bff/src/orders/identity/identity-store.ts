import { sql } from "kysely";
import type { DocumentType } from "../../contract/orders.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { type OrderKey, type OrderWithParts, orderWithParts, toOrder } from "../orders/order-store.ts";

/** Any number that no other advisory lock of this program uses. */
const personLockClass = 7_236_120;

/** Whose tries count, by the RUT's hashes of every key, and since when: see `identity-tries.ts`. */
export interface CountedTries {
  /** Whoever is counted one at a time. */
  readonly person: string;
  readonly rutHashes: readonly string[];
  readonly since: Date;
  /** Since when one without an answer counts. */
  readonly askedSince: Date;
}

/** The moments of a person's tries that count: rejected, or asked a moment ago without an answer yet. */
export async function readCountedTries(db: Database, counted: CountedTries): Promise<Date[]> {
  const { rows } = await sql<{ moments: Date[] }>`select ${triesAlone(counted)} as moments`.execute(db);
  return rows[0]?.moments ?? [];
}

/** Which tries count is told by the function alone (migration 0030); others of the person wait until the statement ends. */
function triesAlone({ person, rutHashes, since, askedSince }: CountedTries) {
  return sql<Date[]>`identity_tries_alone(${personLockClass}::int, ${person}, ${[...rutHashes]}::text[],
    ${since}::timestamptz, ${askedSince}::timestamptz)`;
}

/** That the registry is asked. Only keyed hashes: neither the serial nor the RUT. */
export interface NewCheck {
  readonly id: string;
  readonly rutHash: string;
  readonly serialHash: string;
  readonly documentType: DocumentType;
  readonly at: Date;
}

/**
 * Writes down that the registry is being asked, unless `triesMax` tries of the person count already; gives the moments of
 * those that did before. One of a person at a time, also under concurrent tries.
 */
export async function beginCheck(
  db: Database,
  key: OrderKey,
  check: NewCheck,
  { counted, triesMax }: { readonly counted: CountedTries; readonly triesMax: number },
): Promise<Date[]> {
  const { rows } = await sql<{ moments: Date[] }>`
    with before as materialized (
      select ${triesAlone(counted)} as moments
    ), asked as (
      insert into identity_checks (id, provider_id, order_id, rut_hash, serial_hash, document_type, outcome, asked_at)
      select ${check.id}::uuid, ${key.providerId}::uuid, ${key.orderId}::uuid, ${check.rutHash}, ${check.serialHash},
        ${check.documentType}, 'asked', ${check.at}::timestamptz
      from before where cardinality(moments) < ${triesMax}::int
    )
    select moments from before
  `.execute(db);
  return rows[0]?.moments ?? [];
}

/** Removes what was asked before a moment. Says how many rows went. */
export async function deleteChecks(db: Database, before: Date): Promise<number> {
  const gone = await db.deleteFrom("identity_checks").where("asked_at", "<", before).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

export type CheckOutcome = "match" | "no_match" | "document_not_valid" | "unavailable";

/**
 * Keeps the registry's answer. A match validates the order's identity in the same statement, unless another try was first or
 * the order is not payable any more: the order as it then is, or null where it is not validated by this.
 */
export async function writeOutcome(
  db: Database,
  key: OrderKey,
  { id, outcome, at }: { id: string; outcome: CheckOutcome; at: Date },
): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    with outcome as (update identity_checks set outcome = ${outcome} where id = ${id})
    update orders set identity_validated_at = ${at}, updated_at = ${at}
    where provider_id = ${key.providerId} and id = ${key.orderId} and identity_validated_at is null
      and state = 'awaiting_payment' and ${outcome === "match"}
    returning ${orderWithParts}`.execute(db);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}
