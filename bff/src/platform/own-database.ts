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
 * Checks, before anything runs, that the database is this environment's and that the keyring is the one it was used
 * with. A database that nobody has used yet becomes this environment's. Throws `DatabaseRefused`.
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
    `KEYRING_FILE: ${changed.join(", ")} is another key than the one of this name with which the database was used.`,
  );
}

/**
 * Checks that the keyring has every key that has made new values and is not retired: without one, links, codes and
 * secrets that it has made count no more, and what it has sealed cannot be opened. A key that only waits to become the
 * newest may be missing, since the processes get it one after the other. Throws `DatabaseRefused`.
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
    `KEYRING_FILE: ${missing.map((id) => `"${id}"`).join(", ")} is missing, with which values were made. Put it back, or end its use with \`aapd keys retire\`.`,
  );
}

/** Throws `DatabaseRefused` if the database is another environment's. */
export async function requireEnvironment({ db }: Pick<OpenDatabase, "db">, environment: Environment): Promise<void> {
  const named = await readEnvironment(db);
  if (named !== null && named !== environment)
    throw new DatabaseRefused(`ENVIRONMENT: this database is ${named}'s, and this process is ${environment}'s.`);
}
