import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../src/platform/database/transaction.ts";
import { createKeyring, type Keyring } from "../../src/platform/keyring.ts";
import type { OneclickApi } from "./oneclick-api.ts";

/*
 * A `tbk_user` charges a card, so it is stored encrypted. `TRANSBANK_SEAL_KEYS` has the keys, newest first.
 */

const PURPOSE = "transbank.tbk_user";
/** Marks a sealed value: Transbank's own are UUIDs. */
const SEALED = "sealed:";

export interface UserSeal {
  seal(tbkUser: string): string;
  /** Also returns a value that was stored before there was a key. */
  open(stored: string): string;
}

/** Without keys, as against Transbank's integration, values stay as they are. */
export function createUserSeal(secrets: readonly string[]): UserSeal {
  const keyring = secrets.length === 0 ? null : keyringOf(secrets);
  return {
    seal: (tbkUser) => (keyring === null ? tbkUser : SEALED + keyring.seal(tbkUser, PURPOSE)),
    open(stored) {
      if (!stored.startsWith(SEALED)) return stored;
      if (keyring === null) throw new Error("A tbk_user is sealed, and TRANSBANK_SEAL_KEYS is empty.");
      return keyring.open(stored.slice(SEALED.length), PURPOSE);
    },
  };
}

function keyringOf(secrets: readonly string[]): Keyring {
  const keys = secrets.map((secret) => {
    const digest = createHash("sha256").update(secret).digest();
    return { id: digest.toString("hex").slice(0, 8), secret: createHash("sha512").update(secret).digest() };
  });
  return createKeyring({ keys, environment: "transbank" });
}

/** Seals the stored values that are not, or are under an older key. */
export async function sealStoredUsers(db: Database, { seal, open }: UserSeal): Promise<void> {
  const { rows } = await sql<{ id: string; stored: string }>`
    select id, tbk_user as stored from oneclick_users
  `.execute(db);
  for (const { id, stored } of rows)
    await sql`update oneclick_users set tbk_user = ${seal(open(stored))} where id = ${id}::uuid and tbk_user = ${stored}
    `.execute(db);
}

/** The API for stored values: it opens each just before the request. */
export function opening(api: OneclickApi, { open }: UserSeal): OneclickApi {
  return {
    ...api,
    remove: ({ tbkUser, username }) => api.remove({ tbkUser: open(tbkUser), username }),
    authorize: (input) => api.authorize({ ...input, tbkUser: open(input.tbkUser) }),
    bin: (tbkUser) => api.bin(open(tbkUser)),
  };
}
