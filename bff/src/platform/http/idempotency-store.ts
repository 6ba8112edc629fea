import { sql } from "kysely";
import type { Database } from "../database/transaction.ts";

/** The slot of one idempotency key for one method and path; the provider is passed separately. */
export interface SlotRequest {
  readonly method: string;
  readonly path: string;
  /**
   * Keyed hashes of the idempotency key, which may hold personal data: by the newest server key, then by the older
   * ones.
   */
  readonly keyHashes: readonly [string, ...string[]];
  readonly bodyHash: string;
  /**
   * The request that takes the slot, and the end of its lease; null if the slot is only written together with the
   * answer.
   */
  readonly lease: { readonly id: string; readonly until: Date } | null;
  readonly expiresAt: Date;
}

/** The state of a slot that another request holds. While `status` is null, that request is still running. */
export interface SlotState {
  readonly body_hash: string;
  readonly status: number | null;
  readonly body_sealed: string | null;
}

/** Takes a slot outside of an admission. Returns the slot's state if another request holds it, otherwise null. */
export async function takeSlot(
  db: Database,
  providerId: string,
  { method, path, keyHashes, bodyHash, lease, expiresAt }: SlotRequest,
  now: Date,
): Promise<SlotState | null> {
  const { rows } = await sql<{ slotState: SlotState | null }>`
    select take_slot(${providerId}::uuid, ${method}, ${path}, ${keyHashes}::text[], ${bodyHash}, ${lease?.id ?? null}::uuid,
      ${lease?.until ?? null}::timestamptz, ${expiresAt}::timestamptz, ${now}::timestamptz) as "slotState"`.execute(db);
  return rows[0]?.slotState ?? null;
}

/**
 * Keeps the answer if the caller holds the slot's lease or the slot does not exist yet. Returns whether it was kept.
 */
export async function keepAnswer(
  db: Database,
  providerId: string,
  slot: SlotRequest,
  answer: { readonly status: number; readonly bodySealed: string; readonly at: Date },
): Promise<boolean> {
  const { status, bodySealed, at } = answer;
  const { numAffectedRows } = await sql`
    insert into idempotency_keys as slot (provider_id, method, path, key, body_hash, status, body_sealed, expires_at, created_at)
    values (${providerId}, ${slot.method}, ${slot.path}, ${slot.keyHashes[0]}, ${slot.bodyHash}, ${status}, ${bodySealed},
      ${slot.expiresAt}, ${at})
    on conflict (provider_id, method, path, key) do update
    set status = excluded.status, body_sealed = excluded.body_sealed, lease_id = null, lease_until = null
    where slot.lease_id = ${slot.lease?.id ?? null}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** Frees the slot if the caller still holds its lease, so that the request can be made again. */
export async function releaseSlot(db: Database, providerId: string, slot: SlotRequest): Promise<void> {
  if (slot.lease === null) return;
  await db
    .deleteFrom("idempotency_keys")
    .where("provider_id", "=", providerId)
    .where("method", "=", slot.method)
    .where("path", "=", slot.path)
    .where("key", "=", slot.keyHashes[0])
    .where("lease_id", "=", slot.lease.id)
    .execute();
}
