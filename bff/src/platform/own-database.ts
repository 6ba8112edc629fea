import type { OpenDatabase } from "./database/database.ts";
import { nameDeployment, readEnvironment } from "./deployment-store.ts";
import type { Keyring } from "./keyring.ts";
import type { Environment } from "./provider.ts";

/** Thrown when the database belongs to another environment, or was used with other keys. The message is for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
  readonly code = "database_refused";
}

/**
 * Checks, before anything runs, that the database is this environment's and that the keyring is the one it was used with.
 * A database that nobody has used yet becomes this environment's. Throws `DatabaseRefused`.
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

/** Throws `DatabaseRefused` if the database is another environment's. */
export async function requireEnvironment({ db }: Pick<OpenDatabase, "db">, environment: Environment): Promise<void> {
  const named = await readEnvironment(db);
  if (named !== null && named !== environment)
    throw new DatabaseRefused(`ENVIRONMENT: this database is ${named}'s, and this process is ${environment}'s.`);
}
