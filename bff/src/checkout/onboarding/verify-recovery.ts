import type * as z from "zod/mini";
import {
  isSupportedInsurer,
  type RegisterPatientResponse,
  type verifyRecoveryRequestSchema,
} from "../../contract/onboarding.ts";
import { CODE_TRIES_MAX, OBJECTION_HOURS } from "../../contract/terms.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import { maskEmail, sameEmail } from "../../contract/vocabulary/email.ts";
import { maskRut } from "../../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { type Beneficiary, tenantOf } from "../../patients/beneficiary.ts";
import { recordConsents } from "../../patients/consents.ts";
import { assignToEmail, findAndLockBeneficiaryById, replaceInsurerAccess } from "../../patients/patients.ts";
import { findUnproven, lockForProof, noteProof } from "../../patients/unproven.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { auditWrongCode, classifyTry } from "../issue-code.ts";
import type { OpenedWidgetToken } from "../open-widget-token.ts";
import type { LookUpPlanDependencies } from "../plans/look-up-plan.ts";
import { notifyRenewed, proveVisit } from "../prove-visit.ts";
import {
  acceptanceOf,
  describePatient,
  endOnboarding,
  type RegisterPatientDependencies,
  requireConsents,
} from "../register-patient.ts";
import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../self-service-links.ts";
import { noteProvenVisit } from "../tokens/proven-visits.ts";
import { requireVisit } from "./own-registration.ts";
import { insertEmailChange, lockRecovery, type Recovery, writeTry } from "./recovery-store.ts";
import { CODE_HASH } from "./start-recovery.ts";

export interface VerifyRecoveryDependencies
  extends MintSelfServiceTokenDependencies,
    LookUpPlanDependencies,
    Pick<RegisterPatientDependencies, "within"> {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "matches" | "seal">;
  readonly paymentPage: NotifyPatientDependencies["paymentPage"];
  readonly consultationDay: NotifyPatientDependencies["consultationDay"];
}

export interface CodeTry {
  readonly opened: OpenedWidgetToken;
  /** The public key as the caller presented it. */
  readonly publicKey: string;
  readonly body: z.output<typeof verifyRecoveryRequestSchema>;
  readonly ip: string;
  readonly userAgent: string | null;
}

/**
 * Answers the code of a recovery. Every attempt is stored under the code's lock, so that only five are checked, however
 * many run at once. While the token is valid, the right code gets the same answer again, because an answer may be lost.
 * Also stores the consents and insurer access of the sign-up.
 * Throws `recovery_code_invalid` with the attempts left, `recovery_code_expired` (also if no code was sent, to keep
 * registrations secret), `consents_missing`, `insurer_not_supported`, `validation_error`, and the token's 410s.
 */
export async function verifyRecovery(
  dependencies: VerifyRecoveryDependencies,
  { opened, body, publicKey, ip, userAgent }: CodeTry,
): Promise<RegisterPatientResponse> {
  const signUp = readSignUp(body);
  const { db } = dependencies;
  const result = await inTransaction(db, async (tx) => {
    const record = await lockForProof(tx, { tenant: tenantOf(opened.provider), rut: body.rut });
    const own = await findUnproven(tx, [opened.token.id], { rut: body.rut, now: opened.now });
    requireVisit(opened, own);
    const beneficiary = record ?? own;
    if (beneficiary === null) throw new ApiError("recovery_code_expired");
    const sent = await lockCountedRecovery(tx, beneficiary, opened.token.id);
    const isAgain = sent?.isVerified === true;
    const tried = classifyTry(dependencies.keyring, CODE_HASH, { sent, code: body.code, now: opened.now });
    await writeTry(tx, tried.sent.id, { tries: tried.tries, verified: isAgain || tried.isRight });
    if (!tried.isRight) {
      const subject = { kind: "beneficiary", id: beneficiary.id };
      const { provider, now: at } = opened;
      await auditWrongCode(tx, dependencies, { providerId: provider.id, subject, sent: tried.sent, at });
      // A wrong attempt must be committed, so its error is thrown only after the transaction.
      return { attemptsLeft: CODE_TRIES_MAX - tried.tries };
    }
    if (isAgain) return { recovered: beneficiary };
    const taken = await reclaimRegistration(dependencies, tx, {
      opened,
      publicKey,
      before: beneficiary,
      recovery: tried.sent,
    });
    if (opened.state === "live") await endOnboarding(tx, opened);
    const recovered = (await proveRecovered(dependencies, tx, opened, tried.sent)) ?? taken;
    await noteProvenVisit(tx, opened.token.id, recovered.id);
    if (signUp !== null) {
      const accepted = acceptanceOf(opened, { rut: recovered.rut, ip, userAgent });
      await recordConsents(tx, dependencies.ids, signUp.consents, accepted);
      await keepSignUp(dependencies, tx, {
        opened,
        signUp,
        patient: recovered,
        before: beneficiary,
        recovery: tried.sent,
      });
    }
    return { recovered };
  });
  if ("attemptsLeft" in result) throw new ApiError("recovery_code_invalid", { attempts_left: result.attemptsLeft });
  return describePatient(dependencies, opened, result.recovered);
}

/** The code proves this visit's earlier registration, as the registry's match does in a checkout. */
async function proveRecovered(
  dependencies: VerifyRecoveryDependencies,
  tx: Transaction,
  { token, provider, now }: OpenedWidgetToken,
  { way, beneficiaryId }: Recovery,
): Promise<Beneficiary | null> {
  const by = way === "identity" ? "registry" : "code";
  await noteProof(tx, beneficiaryId, by);
  const patient = await findAndLockBeneficiaryById(tx, beneficiaryId);
  if (patient === null) return null;
  const visit = { provider, rut: patient.rut, visit: { id: token.id }, by, matchedAt: null, now } as const;
  return (await proveVisit(dependencies, tx, visit)).record;
}

/**
 * The code that may still be answered. A code sent to the registered address, or one that has already moved the RUT to
 * an address, counts only while the RUT has that address. After that the reader of that mailbox no longer owns the RUT.
 */
async function lockCountedRecovery(tx: Transaction, patient: Beneficiary, widgetTokenId: string) {
  const sent = await lockRecovery(tx, { beneficiaryId: patient.id, widgetTokenId });
  const isOfOwner = sent !== null && (sent.way === "email_code" || sent.isVerified);
  return isOfOwner && !sameEmail(sent.email, patient.email) ? null : sent;
}

type SignUp = NonNullable<ReturnType<typeof readSignUp>>;

const INSURER_UNNAMED = { path: "insurer", message: "is required with sealed_insurer_access" };

/** The sign-up data sent with the code, validated like a sign-up; null if there is none. */
function readSignUp({ consents = [], insurer, sealed_insurer_access: sealed }: CodeTry["body"]) {
  if (consents.length === 0 && sealed === undefined) return null;
  if (insurer !== undefined && !isSupportedInsurer(insurer)) throw new ApiError("insurer_not_supported");
  requireConsents({ consents, sealed_insurer_access: sealed });
  if (sealed === undefined) return { consents, access: null };
  if (insurer === undefined) throw new ApiError("validation_error", { errors: [INSURER_UNNAMED] });
  return { consents, access: { sealed, insurer } };
}

/** Stores the sign-up data. The patient's identity is proved, so new insurer access replaces the previous one. */
async function keepSignUp(
  dependencies: VerifyRecoveryDependencies,
  tx: Transaction,
  {
    opened: { provider, now },
    signUp: { access },
    patient,
    before,
    recovery,
  }: {
    readonly opened: OpenedWidgetToken;
    readonly signUp: SignUp;
    readonly patient: Beneficiary;
    /** The record before the code. Its address is notified of the change. */
    readonly before: Beneficiary;
    readonly recovery: Recovery;
  },
): Promise<void> {
  await dependencies.within(tx, { kind: "patient_registered_again", patient, provider, now });
  const hasNewAccess = access !== null;
  await notifyRenewed(dependencies, tx, { provider, patient: before, cause: recovery.id, hasNewAccess });
  if (access === null) return;
  await replaceInsurerAccess(tx, dependencies.ids, patient, { ...access, providerId: provider.id, at: now });
  await recordAudit(tx, {
    id: dependencies.ids.uuid(),
    providerId: provider.id,
    actor: "patient",
    credentialId: null,
    act: "beneficiary.insurer_access_given",
    subject: { kind: "beneficiary", id: patient.id },
    details: { recovery: recovery.id },
    at: now,
  });
}

interface Recovered {
  readonly opened: OpenedWidgetToken;
  readonly publicKey: string;
  readonly before: Beneficiary;
  readonly recovery: Recovery;
}

/** A code to the registered address changes nothing. After an identity check the RUT moves to the new address. */
async function reclaimRegistration(
  dependencies: VerifyRecoveryDependencies,
  tx: Transaction,
  { opened, publicKey, before, recovery }: Recovered,
): Promise<Beneficiary> {
  if (recovery.way === "email_code" || sameEmail(before.email, recovery.email)) return before;
  const { provider, now } = opened;
  const { ids } = dependencies;
  const after = await assignToEmail(tx, ids, before, { email: recovery.email, at: now });
  const change = ids.uuid();
  const objectionUrl = mayObject(before)
    ? await openObjection(dependencies, tx, { opened, publicKey, before, after, change })
    : null;
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: provider.id,
    actor: "patient",
    credentialId: null,
    act: "beneficiary.email_changed",
    subject: { kind: "beneficiary", id: before.id },
    details: { email_change: change, recovery: recovery.id },
    at: now,
  });
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `email_changed:${change}`,
    to: before.email,
    rut: before.rut,
    beneficiaryId: before.id,
    notification: {
      kind: "email_changed",
      maskedRut: maskRut(before.rut),
      maskedEmail: maskEmail(recovery.email),
      objectionUrl,
    },
  });
  return after;
}

/**
 * Whether the owner of the previous mailbox may object to the registry's match. Not if their only proof was the
 * mailbox: anyone can register a RUT that way, and could take the record back from the patient.
 */
function mayObject({ provedBy }: Beneficiary): boolean {
  return provedBy !== "code";
}

interface Change extends Pick<Recovered, "opened" | "publicKey" | "before"> {
  readonly after: Beneficiary;
  /** The id of the change. */
  readonly change: string;
}

/** Returns the link with which the owner of the old address can undo a change for a limited time. */
async function openObjection(
  dependencies: VerifyRecoveryDependencies,
  tx: Transaction,
  { opened: { provider, now }, publicKey, before, after, change }: Change,
): Promise<string> {
  const objectionUntil = new Date(now.getTime() + OBJECTION_HOURS * HOUR_MS);
  const link = await mintSelfServiceToken(dependencies, tx, {
    provider,
    publicKey,
    purpose: "objection",
    beneficiaryId: before.id,
    rut: before.rut,
    now,
    expiresAt: objectionUntil,
  });
  await insertEmailChange(tx, {
    id: change,
    beneficiaryId: before.id,
    providerId: provider.id,
    widgetTokenId: link.id,
    oldUserId: before.userId,
    newUserId: after.userId,
    changedAt: now,
    objectionUntil,
  });
  return link.url;
}
