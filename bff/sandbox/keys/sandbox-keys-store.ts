import type { Transaction } from "../../src/platform/database/transaction.ts";

/** Throws a unique violation of `sandbox_keys_challenge_key` where the challenge has been used. */
export async function insertSandboxKeys(
  tx: Transaction,
  keys: { readonly providerId: string; readonly challenge: string; readonly endsAt: Date; readonly createdAt: Date },
): Promise<void> {
  await tx
    .insertInto("sandbox_keys")
    .values({
      provider_id: keys.providerId,
      challenge: keys.challenge,
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
