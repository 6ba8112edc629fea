import type { OpenDatabase } from "./database/database.ts";
import { nameDeployment, readEnvironment, readKeys, writeRequired } from "./deployment-store.ts";
import type { Keyring } from "./keyring.ts";
import type { Environment } from "./provider.ts";

/**
 * Thrown when the database belongs to another environment, or was used with other keys. The message is for the
 * operator.
 */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
  readonly code = "database_refused";
}

/**
 * Checks at startup that the database belongs to this environment, and that the keyring is the one it was used with. An
 * unused database is assigned to this environment. Throws `DatabaseRefused`.
 */
export async function requireOwnDatabase(
  { db }: Pick<OpenDatabase, "db">,
  { environment, keyring }: { readonly environment: Environment; readonly keyring: Pick<Keyring, "fingerprints"> },
): Promise<void> {
  await requireEnvironment({ db }, environment);
  const { fingerprints } = keyring;
  const known = (await nameDeployment(db, { environment, keyFingerprints: fingerprints })).keyFingerprints;
  const changed = Object.entries(fingerprints).flatMap(([id, print]) => (known[id] === print ? [] : [`"${id}"`]));
  if (changed.length === 0) return;
  throw new DatabaseRefused(
    `KEYRING_FILE: ${changed.join(", ")} differs from the key of that name with which the database was used.`,
  );
}

/**
 * Checks that the keyring has every key that has produced values and is not retired. Without one of them, its links,
 * codes and secrets are invalid and its sealed values cannot be opened. A key that has not produced values yet may be
 * missing, because processes receive it one after the other. Throws `DatabaseRefused`.
 */
export async function requireEveryKey(
  { db }: Pick<OpenDatabase, "db">,
  { keyIds }: Pick<Keyring, "keyIds">,
): Promise<void> {
  const { required } = await readKeys(db);
  const missing = required.filter((id) => !keyIds.includes(id));
  if (missing.length === 0) {
    const [newest] = keyIds;
    if (newest !== undefined) await writeRequired(db, newest);
    return;
  }
  throw new DatabaseRefused(
    `KEYRING_FILE: ${missing.map((id) => `"${id}"`).join(", ")} is missing, although values made with it exist. Put it back, or retire it with \`aapd keys retire\`.`,
  );
}

/** Throws `DatabaseRefused` if the database belongs to another environment. */
export async function requireEnvironment({ db }: Pick<OpenDatabase, "db">, environment: Environment): Promise<void> {
  const named = await readEnvironment(db);
  if (named !== null && named !== environment)
    throw new DatabaseRefused(`ENVIRONMENT: this database belongs to ${named}, and this process to ${environment}.`);
}
