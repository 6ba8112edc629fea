import type * as z from "zod/mini";
import type { StartRecoveryResponse, startRecoveryRequestSchema } from "../../contract/onboarding.ts";
import { type DocumentSerial, readDocumentSerial } from "../../contract/vocabulary/document-serial.ts";
import { type Email, emailKey } from "../../contract/vocabulary/email.ts";
import { maskRut } from "../../contract/vocabulary/rut.ts";
import type { IdentityRegistry } from "../../gateways/identity-registry.ts";
import type { CodeUse } from "../../notifications/kinds/recovery-code.ts";
import type { NotifyPatientDependencies } from "../../notifications/notify-patient.ts";
import { type Beneficiary, isPseudonym } from "../../patients/beneficiary.ts";
import { findAndLockBeneficiaryById } from "../../patients/patients.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { RateLimiter } from "../../platform/http/rate-limit.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { nameOfClinic } from "../../tenants/centers.ts";
import { COUNTED_MS, describeSent, issueCode, mailCode, requirePause } from "../issue-code.ts";
import { type OpenedWidgetToken, requireOrdersPatient } from "../open-widget-token.ts";
import { checkIdentity, requireIdentityOpen } from "./check-identity.ts";
import { findForCode, requireVisit } from "./own-registration.ts";
import { insertRecovery, readCodesSent } from "./recovery-store.ts";
import { countOfVisit } from "./visit-limit.ts";

export interface StartRecoveryDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "hmac" | "seal">;
  readonly paymentPage: NotifyPatientDependencies["paymentPage"];
  readonly consultationDay: NotifyPatientDependencies["consultationDay"];
  readonly identityRegistry: IdentityRegistry;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  /** The pattern of an identity document's serial. Configured, because the newest format is not public. */
  readonly documentSerialPattern: string;
}

/** Several codes may go to one address, because children are registered under a parent's. */
const CODES_TO_ADDRESS_PER_HOUR_MAX = 10;
const RECOVERIES_PER_HOUR_MAX = 30;

/** The keyring purpose of the hash of a code. */
export const CODE_HASH = "onboarding.recovery_code";

export interface RecoveryStart {
  readonly opened: OpenedWidgetToken;
  readonly body: z.output<typeof startRecoveryRequestSchema>;
}

/**
 * Sends a code that proves this visit's registration, or that recovers a RUT registered under another e-mail.
 * `email_code` sends it to the registered address; `identity` sends it to a new address after the registry has matched
 * the serial. A new code replaces the previous one.
 * Throws `beneficiary_not_found`, `validation_error`, the errors of the serial, the 410s, and `rate_limited` between
 * two codes for a RUT and after ten codes to one address within an hour.
 */
export async function startRecovery(
  dependencies: StartRecoveryDependencies,
  { opened, body }: RecoveryStart,
): Promise<StartRecoveryResponse> {
  const { db } = dependencies;
  const { beneficiary, own } = await findForCode(db, opened, body);
  if (beneficiary === null) throw new ApiError("beneficiary_not_found");
  requireOrdersPatient(opened, body.rut);
  const proof = body.way === "identity" ? readProof(dependencies, body) : null;
  requireVisit(opened, own);
  await countOfVisit(dependencies, { name: "recovery", opened, of: body.rut, requestsMax: RECOVERIES_PER_HOUR_MAX });
  requirePause(await codesSent(db, beneficiary, opened), opened.now);
  if (proof !== null) {
    await requireIdentityOpen(db, beneficiary, opened.now);
    await checkIdentity(dependencies, { opened, beneficiary, serial: proof.serial });
  }
  return sendCode(dependencies, opened, beneficiary, proof?.email ?? null);
}

/** The document data that recovery by identity needs in addition to the RUT. */
function readProof(
  { documentSerialPattern }: StartRecoveryDependencies,
  { document_serial, email }: RecoveryStart["body"],
): { serial: DocumentSerial; email: Email } {
  const missing = [
    ...(document_serial === undefined
      ? [{ path: "document_serial", message: "is required for recovery by identity" }]
      : []),
    ...(email === undefined ? [{ path: "email", message: "is required for recovery by identity" }] : []),
  ];
  if (document_serial === undefined || email === undefined) throw new ApiError("validation_error", { errors: missing });
  const serial = readDocumentSerial(document_serial, documentSerialPattern);
  if (serial === null) throw new ApiError("document_serial_malformed");
  return { serial, email };
}

/**
 * The codes that the pause between codes counts: those sent with any token of the visit's order, or those sent for the
 * RUT with tokens without an order.
 */
function codesSent(db: Database, { id }: Beneficiary, { token, now }: OpenedWidgetToken): Promise<Date[]> {
  const since = new Date(now.getTime() - COUNTED_MS);
  return readCodesSent(db, { beneficiaryId: id, orderId: token.orderId, since });
}

/** Sends a code under the patient's lock, so that the pause refuses the second of two concurrent requests. */
function sendCode(
  dependencies: StartRecoveryDependencies,
  opened: OpenedWidgetToken,
  { id }: Beneficiary,
  newEmail: Email | null,
): Promise<StartRecoveryResponse> {
  return inTransaction(dependencies.db, async (tx) => {
    const { now } = opened;
    const beneficiary = await findAndLockBeneficiaryById(tx, id);
    // The patient was erased during the call to the registry.
    if (beneficiary === null || isPseudonym(beneficiary)) throw new ApiError("beneficiary_not_found");
    requirePause(await codesSent(tx, beneficiary, opened), now);
    // An objection may have arrived during the call to the registry.
    if (newEmail !== null) await requireIdentityOpen(tx, beneficiary, now);
    const email = newEmail ?? beneficiary.email;
    // Only codes that are actually sent count, so that entering a stranger's address does not use up its limit.
    const mails = { name: "recovery.email", of: emailKey(email), requestsMax: CODES_TO_ADDRESS_PER_HOUR_MAX };
    await countOfVisit(dependencies, { ...mails, opened }, tx);
    await writeCode(dependencies, tx, opened, beneficiary, {
      email,
      way: newEmail === null ? "email_code" : "identity",
    });
    return describeSent(email, now);
  });
}

async function writeCode(
  dependencies: StartRecoveryDependencies,
  tx: Transaction,
  { provider, token, order, now }: OpenedWidgetToken,
  beneficiary: Beneficiary,
  { email, way }: { readonly email: Email; readonly way: "email_code" | "identity" },
): Promise<void> {
  const { code, kept } = issueCode(dependencies, CODE_HASH, now);
  await insertRecovery(tx, {
    ...kept,
    beneficiaryId: beneficiary.id,
    providerId: provider.id,
    widgetTokenId: token.id,
    way,
    email,
  });
  const clinic = await nameOfClinic(tx, provider, order?.center ?? null);
  const use: CodeUse =
    way === "identity"
      ? { kind: "move_mailbox", clinic, maskedRut: maskRut(beneficiary.rut) }
      : { kind: "confirm_registration", clinic, total: order?.total ?? null };
  await mailCode(dependencies, tx, {
    provider,
    cause: `recovery_code:${kept.id}`,
    to: email,
    rut: beneficiary.rut,
    code,
    use,
  });
}
