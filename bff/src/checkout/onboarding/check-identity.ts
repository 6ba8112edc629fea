import type { DocumentSerial } from "../../contract/vocabulary/document-serial.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { IdentityRegistry } from "../../gateways/identity-registry.ts";
import {
  IDENTITY_ANSWER_WITHIN_MS,
  IDENTITY_WINDOW_MS,
  type IdentityTries,
  identityTries,
} from "../../orders/identity-tries.ts";
import { loseMatch } from "../../orders/recognise-identity.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { findAndLockBeneficiary } from "../../patients/patients.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { OpenedWidgetToken } from "../open-widget-token.ts";
import { insertIdentityCheck, readCountedChecks, readLastObjection, writeIdentityOutcome } from "./recovery-store.ts";

/**
 * How long after an objection an identity document alone cannot change the e-mail of a RUT. Operators review the case
 * meanwhile.
 */
const IDENTITY_CLOSED_MS = 30 * DAY_MS;

export interface CheckIdentityDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly identityRegistry: IdentityRegistry;
}

/**
 * Asks the national registry whether a serial belongs to a patient. The attempt is stored before the registry is asked,
 * so that the limit of five per hour also holds for concurrent attempts. The serial is neither stored nor logged.
 * Throws `identity_rejected`, `identity_document_not_valid`, `identity_attempts_exhausted`,
 * `identity_registry_unavailable`, and `beneficiary_not_found` if the patient was erased meanwhile.
 */
export async function checkIdentity(
  { db, ids, identityRegistry }: CheckIdentityDependencies,
  requested: { readonly opened: OpenedWidgetToken; readonly beneficiary: Beneficiary; readonly serial: DocumentSerial },
): Promise<void> {
  const { opened, beneficiary, serial } = requested;
  const id = ids.uuid();
  const before = await inTransaction(db, async (tx) => {
    if ((await findAndLockBeneficiary(tx, beneficiary)) === null) throw new ApiError("beneficiary_not_found");
    const tries = await readTries(tx, beneficiary, opened);
    if (tries.left === 0) throw exhausted(tries.nextAt ?? opened.now, opened.now);
    await insertIdentityCheck(tx, { id, beneficiaryId: beneficiary.id, orderId: opened.token.orderId, at: opened.now });
    return tries;
  });
  const { outcome } = await identityRegistry.check({
    providerId: opened.provider.id,
    rut: beneficiary.rut,
    serial,
    documentType: "CEDULA",
  });
  await inTransaction(db, async (tx) => {
    await writeIdentityOutcome(tx, id, outcome);
    if (outcome === "document_not_valid") await loseMatch(tx, { provider: opened.provider, rut: beneficiary.rut });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: opened.provider.id,
      actor: "patient",
      credentialId: null,
      act: "identity.checked",
      subject: { kind: "beneficiary", id: beneficiary.id },
      details: { outcome },
      at: opened.now,
    });
  });
  if (outcome === "unavailable") throw new ApiError("identity_registry_unavailable");
  if (outcome === "match") return;
  const code = outcome === "no_match" ? "identity_rejected" : "identity_document_not_valid";
  throw new ApiError(code, { attempts_left: before.left - 1 });
}

/**
 * Throws while the registration is closed to identity documents, after an objection to an e-mail change made with one.
 */
export async function requireIdentityOpen(db: Database, { id }: Beneficiary, now: Date): Promise<void> {
  const objectedAt = await readLastObjection(db, id);
  if (objectedAt === null) return;
  const opensAt = new Date(objectedAt.getTime() + IDENTITY_CLOSED_MS);
  if (now < opensAt) throw exhausted(opensAt, now);
}

async function readTries(db: Database, { id }: Beneficiary, { token, now }: OpenedWidgetToken): Promise<IdentityTries> {
  const counted = await readCountedChecks(db, {
    beneficiaryId: id,
    orderId: token.orderId,
    since: new Date(now.getTime() - IDENTITY_WINDOW_MS),
    askedSince: new Date(now.getTime() - IDENTITY_ANSWER_WITHIN_MS),
  });
  return identityTries(counted);
}

function exhausted(until: Date, now: Date): ApiError {
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1_000);
  return new ApiError("identity_attempts_exhausted", { attempts_left: 0, retry_after_seconds: Math.max(1, seconds) });
}
