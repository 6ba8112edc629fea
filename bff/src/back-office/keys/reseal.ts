/*
 * Retiring a key: what an older one sealed is sealed with the newest, and what only use or time can replace is named.
 */

import { readFileNames } from "../../claims/expense-reads.ts";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { sealedColumns as ofNotifications } from "../../notifications/operations.ts";
import { rehashAudit, verifyAudit } from "../../platform/audit-chain.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { findOlderKeyUses, type KeyUse, resealColumn } from "../../platform/reseal-store.ts";
import { erasureLogNames } from "../../self-service/erasure-log.ts";
import { sealedColumns as ofPayouts } from "../../settlement/operations.ts";
import { sealedColumns as ofTenants } from "../../tenants/sealed-columns.ts";

const COLUMNS = [...ofTenants, ...ofNotifications, ...ofPayouts];
const FILES_AT_ONCE_MAX = 200;

/** Thrown when the audit trail is broken: hashing it anew would hide that. */
export class AuditBroken extends Error {
  override readonly name = "AuditBroken";
}

export interface Resealed {
  readonly values: number;
  readonly files: number;
  /** What the older keys still check; they may go when there is none. */
  readonly left: readonly KeyUse[];
}

/**
 * Does for every older key of the keyring what can be done. It may be stopped and begun again. Throws `AuditBroken`.
 */
export async function reseal(
  {
    db,
    clock,
    ids,
    keyring,
    files,
  }: {
    readonly db: Database;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly keyring: Keyring;
    readonly files: FileStorage;
  },
  actor: string,
): Promise<Resealed> {
  const [newest = "", ...older] = keyring.keyIds;
  let values = 0;
  for (const column of COLUMNS) values += await resealColumn(db, keyring, column);
  const stored = await resealFiles(db, files);
  await inTransaction(db, async (tx) => {
    const { brokenAt } = await verifyAudit({ db: tx, keyring }, null);
    if (brokenAt !== null) throw new AuditBroken(`The audit trail is broken at row ${brokenAt}: look at that first.`);
    await rehashAudit(tx, keyring);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: null,
      actor,
      credentialId: null,
      act: "keys.resealed",
      subject: { kind: "key", id: newest },
      details: { values, files: stored },
      at: clock.now(),
    });
  });
  return { values, files: stored, left: await findOlderKeyUses(db, older) };
}

async function resealFiles(db: Database, files: FileStorage): Promise<number> {
  const logged = await erasureLogNames(files);
  for (const name of logged) await files.put(name, await files.get(name));
  let count = logged.length;
  for (let after = ""; ; ) {
    const names = await readFileNames(db, { after, limit: FILES_AT_ONCE_MAX });
    for (const name of names) await files.put(name, await files.get(name));
    count += names.length;
    after = names.at(-1) ?? after;
    if (names.length < FILES_AT_ONCE_MAX) return count;
  }
}
