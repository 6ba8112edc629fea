import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

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

/** Marks a tenant's keys as claimed. Returns when they would have expired; null if there are none to claim. */
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

/** The holder of a tenant's keys, who solved its proof of work, and when the keys expire. */
export interface Keyholder {
  readonly id: string;
  readonly endsAt: Date;
}

/** The holder of a tenant; null if the tenant's keys do not expire, or its holder's keys were claimed. */
export async function findKeyholder(db: Database, providerId: string): Promise<Keyholder | null> {
  const keys = await db
    .selectFrom("sandbox_keys")
    .select(["provider_id", "ends_at"])
    .where("claimed_at", "is", null)
    .where(({ eb, selectFrom }) =>
      eb.or([
        eb("provider_id", "=", providerId),
        eb(
          "provider_id",
          "in",
          selectFrom("sandbox_tenants").select("holder_id").where("provider_id", "=", providerId),
        ),
      ]),
    )
    .executeTakeFirst();
  return keys === undefined ? null : { id: keys.provider_id, endsAt: keys.ends_at };
}

export async function insertSandboxTenant(
  tx: Transaction,
  tenant: { readonly providerId: string; readonly holderId: string; readonly createdAt: Date },
): Promise<void> {
  await tx
    .insertInto("sandbox_tenants")
    .values({ provider_id: tenant.providerId, holder_id: tenant.holderId, created_at: tenant.createdAt })
    .execute();
}
