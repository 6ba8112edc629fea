import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database/transaction.ts";
import type { Environment } from "./provider.ts";
import { isHeldBack } from "./restore-store.ts";

export interface Deployment {
  readonly environment: Environment;
  /** Fingerprints of the keys that it was used with, by the key's id. */
  readonly keyFingerprints: Readonly<Record<string, string>>;
}

/**
 * Records which deployment owns the database, unless that is recorded, and adds the fingerprints of new keys. Returns
 * the recorded state, which keeps the earlier fingerprint of a key.
 */
export async function nameDeployment(db: Database, given: Deployment): Promise<Deployment> {
  const fingerprints = JSON.stringify(given.keyFingerprints);
  const { rows } = await sql<{ environment: Environment; key_fingerprints: Record<string, string> }>`
    insert into deployment (environment, key_fingerprints) values (${given.environment}, ${fingerprints}::jsonb)
    on conflict (id) do update set key_fingerprints = case
      when deployment.environment = excluded.environment then excluded.key_fingerprints || deployment.key_fingerprints
      else deployment.key_fingerprints
    end
    returning environment, key_fingerprints`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new DeploymentUnnamed("a row that was written is not there");
  return { environment: row.environment, keyFingerprints: row.key_fingerprints };
}

/** Thrown when the row that names the deployment was not returned: a defect. */
class DeploymentUnnamed extends Error {
  override readonly name = "DeploymentUnnamed";
}

export interface DatabaseKeys {
  readonly fingerprints: Deployment["keyFingerprints"];
  /** The keys that every process needs to start: each has produced values and is not retired. */
  readonly required: readonly string[];
}

export async function readKeys(db: Database): Promise<DatabaseKeys> {
  const row = await db.selectFrom("deployment").select(["key_fingerprints", "required_keys"]).executeTakeFirst();
  return {
    fingerprints: (row?.key_fingerprints ?? {}) as Deployment["keyFingerprints"],
    required: row?.required_keys ?? [],
  };
}

/** Records that a key produces new values. */
export async function writeRequired(db: Database, keyId: string): Promise<void> {
  await sql`update deployment set required_keys = array_append(required_keys, ${keyId})
    where not ${keyId} = any(required_keys)`.execute(db);
}

/** Records that a key is no longer needed. */
export async function writeRetired(tx: Database, keyId: string): Promise<void> {
  await sql`update deployment set required_keys = array_remove(required_keys, ${keyId})`.execute(tx);
}

/** The database's environment; null if none is recorded. */
export async function readEnvironment(db: Database): Promise<Environment | null> {
  const { rows } = await sql<{ environment: Environment }>`select environment from deployment`.execute(db);
  return rows[0]?.environment ?? null;
}

/**
 * The condition under which a worker of an environment may claim work. It keeps a running process idle if its database
 * was replaced by another environment's, or by a restored one that is not checked yet.
 */
export function mayClaimWork(environment: Environment): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from deployment where deployment.environment <> ${environment}) and not ${isHeldBack}`;
}
