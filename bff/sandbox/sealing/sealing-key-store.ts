import { type SealingKey, sealingKeySchema } from "../../src/contract/widget-tokens.ts";
import type { Database } from "../../src/platform/database/transaction.ts";

/** A private key as JWK (RFC 7517). */
export type PrivateSealingKey = Readonly<Record<string, string>>;

export async function insertSealingKey(
  db: Database,
  key: { party: string; publicKey: SealingKey; privateKey: PrivateSealingKey; createdAt: Date },
): Promise<void> {
  await db
    .insertInto("sandbox_sealing_keys")
    .values({
      kid: key.publicKey.kid,
      party: key.party,
      public_key: JSON.stringify(key.publicKey),
      private_key: JSON.stringify(key.privateKey),
      created_at: key.createdAt,
    })
    .execute();
}

export async function findNewestSealingKey(db: Database, party: string): Promise<SealingKey | undefined> {
  const row = await db
    .selectFrom("sandbox_sealing_keys")
    .select("public_key")
    .where("party", "=", party)
    .orderBy("created_at", "desc")
    .orderBy("kid")
    .limit(1)
    .executeTakeFirst();
  return row && sealingKeySchema.parse(row.public_key);
}

export async function findPrivateSealingKey(
  db: Database,
  { party, kid }: { party: string; kid: string },
): Promise<PrivateSealingKey | undefined> {
  const row = await db
    .selectFrom("sandbox_sealing_keys")
    .select("private_key")
    .where("party", "=", party)
    .where("kid", "=", kid)
    .executeTakeFirst();
  return row?.private_key;
}
