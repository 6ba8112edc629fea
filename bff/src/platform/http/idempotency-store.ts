import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/transaction.ts";

/** Where one key of one provider stands for one request. */
export interface IdempotencySlot {
  providerId: string;
  method: string;
  path: string;
  /** Hashed: a caller may build its keys from anything. */
  keyHash: string;
}

export interface SlotClaim extends IdempotencySlot {
  bodyHash: string;
  leaseId: string;
  leaseUntil: Date;
  expiresAt: Date;
  now: Date;
}

export type TakenSlot =
  | { state: "running"; bodyHash: string; expiresAt: Date; leaseUntil: Date }
  | { state: "answered"; bodyHash: string; expiresAt: Date; status: number; bodySealed: string };

/**
 * Takes the slot if it is free (never used, expired, or left behind by a process that died while it ran the same request)
 * and returns null; otherwise tells how it stands.
 */
export async function claimSlot(db: Database, claim: SlotClaim): Promise<TakenSlot | null> {
  const { rows } = await claimingSlot(claim).execute(db);
  if (rows.length === 1) return null;
  // Freed in the meantime: once more.
  return (await readSlot(db, claim)) ?? claimSlot(db, claim);
}

/** Takes the slot as `claimSlot` does, as the body of a CTE: it has a row where the slot was free, and the CTE `source` one. */
export function claimingSlot(claim: SlotClaim, source?: string): RawBuilder<unknown> {
  const { providerId, method, path, keyHash, bodyHash, leaseId, leaseUntil, expiresAt, now } = claim;
  const onlyWhere = source === undefined ? sql`` : sql`where exists (select from ${sql.table(source)})`;
  return sql`
    insert into idempotency_keys as slot (provider_id, method, path, key, body_hash, lease_id, lease_until, expires_at, created_at)
    select ${providerId}::uuid, ${method}, ${path}, ${keyHash}, ${bodyHash}, ${leaseId}::uuid, ${leaseUntil}::timestamptz,
      ${expiresAt}::timestamptz, ${now}::timestamptz
    ${onlyWhere}
    on conflict (provider_id, method, path, key) do update set
      body_hash = excluded.body_hash, lease_id = excluded.lease_id, lease_until = excluded.lease_until,
      status = null, body_sealed = null, expires_at = excluded.expires_at, created_at = excluded.created_at
    where slot.expires_at <= ${now} or (slot.lease_until <= ${now} and slot.body_hash = excluded.body_hash)
    returning key`;
}

/** How a slot stands; null where there is none. */
export async function readSlot(db: Database, slot: IdempotencySlot): Promise<TakenSlot | null> {
  const row = await db
    .selectFrom("idempotency_keys")
    .select(["body_hash", "status", "body_sealed", "lease_until", "expires_at"])
    .where("provider_id", "=", slot.providerId)
    .where("method", "=", slot.method)
    .where("path", "=", slot.path)
    .where("key", "=", slot.keyHash)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { status, body_hash: bodyHash, body_sealed: bodySealed, lease_until: leaseUntil, expires_at: expiresAt } = row;
  if (leaseUntil !== null) return { state: "running", bodyHash, expiresAt, leaseUntil };
  // The table's own check: a slot that is not running holds an answer.
  if (status === null || bodySealed === null) throw new Error("A slot holds neither a lease nor an answer.");
  return { state: "answered", bodyHash, expiresAt, status, bodySealed };
}

/** An answer that is written together with what it tells of. */
export interface KeptAnswer {
  readonly method: string;
  readonly path: string;
  readonly keyHash: string;
  readonly bodyHash: string;
  readonly status: number;
  readonly bodySealed: string;
  readonly expiresAt: Date;
  readonly answeredAt: Date;
}

/**
 * Keeps answers in the statement that does what they tell of: one for each row of a CTE with the columns `provider_id`,
 * `method`, `path`, `key_hash`, `body_hash`, `status`, `body_sealed`, `expires_at`, `answered_at`; none where there is no
 * key. A key that was used before breaks `idempotency_keys_pkey`, so that the whole statement does nothing.
 */
export function keepingAnswers(source: string): RawBuilder<unknown> {
  return sql`
    insert into idempotency_keys (provider_id, method, path, key, body_hash, status, body_sealed, expires_at, created_at)
    select provider_id, method, path, key_hash, body_hash, status, body_sealed, expires_at, answered_at
    from ${sql.table(source)} where key_hash is not null`;
}

/** Keeps the answer, if the slot is still the caller's. */
export async function keepAnswer(db: Database, slot: HeldSlot, answer: SealedAnswer): Promise<void> {
  await sql`
    update idempotency_keys
    set status = ${answer.status}, body_sealed = ${answer.bodySealed}, lease_id = null, lease_until = null
    where provider_id = ${slot.providerId} and method = ${slot.method} and path = ${slot.path} and key = ${slot.keyHash}
      and lease_id = ${slot.leaseId}`.execute(db);
}

interface HeldSlot extends IdempotencySlot {
  readonly leaseId: string;
}

interface SealedAnswer {
  readonly status: number;
  readonly bodySealed: string;
}

/** Frees the slot, if it is still the caller's, so that the request may be made again. */
export async function freeSlot(db: Database, slot: IdempotencySlot & { leaseId: string }): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("provider_id", "=", slot.providerId)
    .where("method", "=", slot.method)
    .where("path", "=", slot.path)
    .where("key", "=", slot.keyHash)
    .where("lease_id", "=", slot.leaseId)
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
