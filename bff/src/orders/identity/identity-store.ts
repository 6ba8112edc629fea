import { sql } from "kysely";
import type { DocumentType } from "../../contract/orders.ts";
import { type AuditEntry, auditRecordedWith } from "../../platform/audit-store.ts";
import { LOCK_CLASSES } from "../../platform/database/lock-classes.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { OrderRecord } from "../order-record.ts";
import { type OrderKey, type OrderWithParts, orderWithParts, toOrder } from "../order-store.ts";

/**
 * Selects the attempts to count: by person, and since when. `rutHashes` holds the RUT's hash under every key. See
 * `identity-tries.ts`.
 */
export interface CountedTries {
  /** Lock key: attempts with the same key are counted one at a time. */
  readonly person: string;
  readonly rutHashes: readonly string[];
  readonly since: Date;
  /** Only unanswered attempts made after this moment count. */
  readonly askedSince: Date;
}

/** The times of a person's attempts that count: rejected ones, and recent ones without an answer yet. */
export async function readCountedTries(db: Database, counted: CountedTries): Promise<Date[]> {
  const { rows } = await sql<{ moments: Date[] }>`select ${triesAlone(counted)} as moments`.execute(db);
  return rows[0]?.moments ?? [];
}

/**
 * Calls the database function that decides which attempts count (migration 0030). It locks the person until the
 * statement ends.
 */
function triesAlone({ person, rutHashes, since, askedSince }: CountedTries) {
  return sql<Date[]>`identity_tries_alone(${LOCK_CLASSES.identityTries}::int, ${person}, ${[...rutHashes]}::text[],
    ${since}::timestamptz, ${askedSince}::timestamptz)`;
}

/** An inquiry to the registry, with keyed hashes only: neither the serial nor the RUT. */
export interface NewCheck {
  readonly id: string;
  readonly rutHash: string;
  readonly serialHash: string;
  readonly documentType: DocumentType;
  readonly at: Date;
}

/**
 * Records an inquiry to the registry, unless `triesMax` attempts of the person count already. Returns the times of the
 * earlier attempts that count. Concurrent calls for one person run one after another.
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

/** `under_age`: the registry matched, but the provider's patients must be of age. */
export type CheckOutcome = "match" | "no_match" | "document_not_valid" | "under_age" | "unavailable";

/**
 * Stores the registry's answer and its audit entry. In the same statement, a match marks the order's identity as
 * validated, unless another attempt already did or the order is no longer payable. Returns the updated order; null if
 * this call did not validate it.
 */
export async function writeOutcome(
  db: Database,
  key: OrderKey,
  { id, outcome, at }: { id: string; outcome: CheckOutcome; at: Date },
  audit: AuditEntry,
): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    with outcome as (update identity_checks set outcome = ${outcome} where id = ${id} returning id),
    ${auditRecordedWith("outcome", audit)}
    update orders set identity_validated_at = ${at}, identity_recognised = false, updated_at = ${at}
    where provider_id = ${key.providerId} and id = ${key.orderId}
      and (identity_validated_at is null or identity_recognised)
      and state = 'awaiting_payment' and ${outcome === "match"}
    returning ${orderWithParts}`.execute(db);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}

/**
 * Marks an order's identity as validated by recognition. Returns null if it was already validated or the order is not
 * payable.
 */
export async function writeRecognised(tx: Database, key: OrderKey, at: Date): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    update orders set identity_validated_at = ${at}, identity_recognised = true, updated_at = ${at}
    where provider_id = ${key.providerId} and id = ${key.orderId} and identity_validated_at is null
      and state = 'awaiting_payment'
    returning ${orderWithParts}`.execute(tx);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}

/** Reverts an identity validated by recognition, of an order that awaits its payment. */
export async function writeUnrecognised(tx: Database, key: OrderKey, at: Date): Promise<void> {
  await tx
    .updateTable("orders")
    .set({ identity_validated_at: null, identity_recognised: false, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.orderId)
    .where("state", "=", "awaiting_payment")
    .where("identity_recognised", "=", true)
    .execute();
}
