import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/** A tenant whose keys end: made for a solved challenge, or by the holder of such keys. */
export type NewSandboxKeys = { readonly providerId: string; readonly endsAt: Date; readonly createdAt: Date } & (
  | { readonly challenge: string; readonly holderId?: never }
  | { readonly challenge?: never; readonly holderId: string }
);

/** Throws a unique violation of `sandbox_keys_challenge_key` where the challenge has been used. */
export async function insertSandboxKeys(tx: Transaction, keys: NewSandboxKeys): Promise<void> {
  await tx
    .insertInto("sandbox_keys")
    .values({
      provider_id: keys.providerId,
      challenge: keys.challenge ?? null,
      holder_id: keys.holderId ?? null,
      ends_at: keys.endsAt,
      claimed_at: null,
      created_at: keys.createdAt,
    })
    .execute();
}

/** Marks a tenant's keys as claimed; returns when they would have ended, null if there is nothing to be claimed any more. */
export async function markClaimed(tx: Transaction, providerId: string, at: Date): Promise<Date | null> {
  const claimed = await tx
    .updateTable("sandbox_keys")
    .set({ claimed_at: at })
    .where("provider_id", "=", providerId)
    .where("claimed_at", "is", null)
    .where("ends_at", ">", at)
    .returning("ends_at")
    .executeTakeFirst();
  return claimed?.ends_at ?? null;
}

/** Who proved the work for a tenant's keys, and when the keys end. */
export interface Keyholder {
  readonly id: string;
  readonly endsAt: Date;
}

/** The holder to whom a tenant's keys belong; null for a tenant that has keys without an end. */
export async function findKeyholder(db: Database, providerId: string): Promise<Keyholder | null> {
  const keys = await db
    .selectFrom("sandbox_keys")
    .select(["provider_id", "holder_id", "ends_at"])
    .where("provider_id", "=", providerId)
    .where("claimed_at", "is", null)
    .executeTakeFirst();
  return keys === undefined ? null : { id: keys.holder_id ?? keys.provider_id, endsAt: keys.ends_at };
}
