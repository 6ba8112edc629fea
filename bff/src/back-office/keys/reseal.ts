/*
 * Retiring a key: values of older keys are sealed again with the newest, and those that only use or time can replace
 * are listed.
 */

import { sealedColumns as ofCheckout } from "../../checkout/operations.ts";
import { readFileNames } from "../../claims/claim-reads.ts";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { sealedColumns as ofNotifications } from "../../notifications/operations.ts";
import { rehashAudit, verifyAudit } from "../../platform/audit-chain.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { findOlderKeyUses, type KeyUse, resealColumn } from "../../platform/reseal-store.ts";
import { erasureLogNames } from "../../self-service/erase-again.ts";
import { sealedColumns as ofPayouts } from "../../settlement/operations.ts";
import { sealedColumns as ofTenants } from "../../tenants/operations.ts";

const COLUMNS = [...ofTenants, ...ofNotifications, ...ofPayouts, ...ofCheckout];
const FILES_AT_ONCE_MAX = 200;

/** Thrown when the audit trail is broken: rehashing it would hide that. */
export class AuditBroken extends Error {
  override readonly name = "AuditBroken";
}

export interface Resealed {
  readonly values: number;
  readonly files: number;
  /** Values that older keys still verify; without any, those keys may be removed. */
  readonly left: readonly KeyUse[];
}

/** Replaces the values of every older key as far as possible. It may be stopped and restarted. Throws `AuditBroken`. */
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
    if (brokenAt !== null)
      throw new AuditBroken(`The audit trail is broken at row ${brokenAt}: investigate that first.`);
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
