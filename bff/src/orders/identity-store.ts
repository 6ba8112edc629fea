import { sql } from "kysely";
import type { DocumentType } from "../contract/orders.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { OrderRecord } from "./order-record.ts";
import { type OrderKey, type OrderWithParts, orderWithParts, toOrder } from "./order-store.ts";

interface IdentityCheckRow {
  id: string;
  provider_id: string;
  order_id: string;
  rut_hash: string;
  serial_hash: string;
  document_type: string;
  outcome: string;
  asked_at: Date;
}

declare module "../platform/database/tables.ts" {
  interface Tables {
    identity_checks: IdentityCheckRow;
  }
}

/** Any number that no other advisory lock of this program uses. */
const personLockClass = 7_236_120;

/** Lets one try of a person be counted at a time; held to the end of the (short) transaction. */
export async function lockPerson(tx: Transaction, rutHash: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${personLockClass}::int, hashtext(${rutHash}))`.execute(tx);
}

/**
 * The moments of a person's tries since `since` that count: rejected, or asked after `askedSince` without an answer yet.
 * `rutHashes` are the RUT's hashes by every key.
 */
export async function countedTries(
  db: Database,
  { rutHashes, since, askedSince }: { rutHashes: readonly string[]; since: Date; askedSince: Date },
): Promise<Date[]> {
  const rows = await db
    .selectFrom("identity_checks")
    .select("asked_at")
    .where("rut_hash", "in", rutHashes)
    .where("asked_at", ">", since)
    .where((where) =>
      where.or([
        where("outcome", "in", ["no_match", "document_not_valid"]),
        where.and([where("outcome", "=", "asked"), where("asked_at", ">", askedSince)]),
      ]),
    )
    .execute();
  return rows.map(({ asked_at: at }) => at);
}

/** Writes down that the registry is being asked. Only keyed hashes: neither the serial nor the RUT. */
export async function insertCheck(
  tx: Database,
  key: OrderKey,
  check: { id: string; rutHash: string; serialHash: string; documentType: DocumentType; at: Date },
): Promise<void> {
  const { id, rutHash, serialHash, documentType, at } = check;
  await tx
    .insertInto("identity_checks")
    .values({
      id,
      provider_id: key.providerId,
      order_id: key.id,
      rut_hash: rutHash,
      serial_hash: serialHash,
      document_type: documentType,
      outcome: "asked",
      asked_at: at,
    })
    .execute();
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
    where provider_id = ${key.providerId} and id = ${key.id} and identity_validated_at is null
      and state = 'awaiting_payment' and ${outcome === "match"}
    returning ${orderWithParts}`.execute(db);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}
