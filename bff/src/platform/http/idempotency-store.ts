import { sql } from "kysely";
import type { Database } from "../database/transaction.ts";

/** Where one key of one provider stands for one request, whoever the provider is. */
export interface SlotRequest {
  readonly method: string;
  readonly path: string;
  /** Hashed, since a caller may build its keys from anything: by the server's key, then by its older ones. */
  readonly keyHashes: readonly [string, ...string[]];
  readonly bodyHash: string;
  /** For whom the slot is taken, and until when; null where nothing is taken before the answer is kept. */
  readonly lease: { readonly id: string; readonly until: Date } | null;
  readonly expiresAt: Date;
}

/** How a slot stands that is somebody else's; without a status the first request is still running. */
export interface Standing {
  readonly body_hash: string;
  readonly status: number | null;
  readonly body_sealed: string | null;
}

/** Takes a slot for a provider as admission does; tells how it stands where it is somebody else's. */
export async function takeSlot(
  db: Database,
  providerId: string,
  { method, path, keyHashes, bodyHash, lease, expiresAt }: SlotRequest,
  now: Date,
): Promise<Standing | null> {
  const { rows } = await sql<{ standing: Standing | null }>`
    select take_slot(${providerId}::uuid, ${method}, ${path}, ${keyHashes}::text[], ${bodyHash}, ${lease?.id ?? null}::uuid,
      ${lease?.until ?? null}::timestamptz, ${expiresAt}::timestamptz, ${now}::timestamptz) as standing`.execute(db);
  return rows[0]?.standing ?? null;
}

/** Keeps the answer in a slot that is the caller's, or that nobody has; says whether it was. */
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

/** Frees the slot, if it is still the caller's, so that the request may be made again. */
export async function freeSlot(db: Database, providerId: string, slot: SlotRequest): Promise<void> {
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

/** Removes expired slots, a bounded number at a time. Returns how many. */
export async function removeExpiredSlots(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys using (
      select provider_id as p, method as m, path as a, key as k from idempotency_keys
      where expires_at < ${before} order by expires_at limit ${limit} for update skip locked
    ) as old
    where provider_id = p and method = m and path = a and key = k
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
