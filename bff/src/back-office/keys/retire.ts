import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { readKeys, writeRetired } from "../../platform/deployment-store.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { findOlderKeyUses, type KeyUse } from "../../platform/reseal-store.ts";

interface KeyDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "keyIds" | "fingerprints">;
}

export type Retirement =
  | { readonly outcome: "retired" }
  /** The key creates all new values. */
  | { readonly outcome: "newest" }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "needed"; readonly uses: readonly KeyUse[] };

/** Records that processes may start without a key, once no value in the database needs it. */
export async function retireKey(
  { db, clock, ids, keyring }: KeyDependencies,
  { keyId, actor }: { readonly keyId: string; readonly actor: string },
): Promise<Retirement> {
  if (keyId === keyring.keyIds[0]) return { outcome: "newest" };
  if (!(keyId in (await readKeys(db)).fingerprints)) return { outcome: "unknown" };
  const uses = await findOlderKeyUses(db, [keyId]);
  if (uses.length > 0) return { outcome: "needed", uses };
  await inTransaction(db, async (tx) => {
    await writeRetired(tx, keyId);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: null,
      actor,
      credentialId: null,
      act: "keys.retired",
      subject: { kind: "key", id: keyId },
      details: {},
      at: clock.now(),
    });
  });
  return { outcome: "retired" };
}

export interface ComparedKey {
  readonly key: string;
  /** Its position in the keyring, from 1; null if it is not in the keyring. */
  readonly place: number | null;
  readonly database: "same" | "another" | "not_used";
  /** Whether every process needs it to start. */
  readonly required: boolean;
}

/** Every key of the keyring and of the database, with the places that have it and whether they agree. */
export async function compareKeys({ db, keyring }: Pick<KeyDependencies, "db" | "keyring">): Promise<ComparedKey[]> {
  const { fingerprints, required } = await readKeys(db);
  const ids = [...new Set([...keyring.keyIds, ...Object.keys(fingerprints)])];
  return ids.map((key) => ({
    key,
    place: keyring.keyIds.includes(key) ? keyring.keyIds.indexOf(key) + 1 : null,
    database: databaseState(key),
    required: required.includes(key),
  }));

  function databaseState(key: string): ComparedKey["database"] {
    const [ours, theirs] = [keyring.fingerprints[key], fingerprints[key]];
    if (theirs === undefined) return "not_used";
    return ours === undefined || ours === theirs ? "same" : "another";
  }
}
