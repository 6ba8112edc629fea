/* Onboarding: patients register, or prove with a code or an identity document that a registered RUT is theirs. */

import type * as z from "zod/mini";
import {
  isSupportedInsurer,
  type RegisterPatientResponse,
  type registerPatientRequestSchema,
} from "../contract/onboarding.ts";
import { type Email, sameEmail } from "../contract/vocabulary/email.ts";
import type { EventType } from "../contract/widget-tokens.ts";
import { type Beneficiary, type NewBeneficiary, tenantOf, visitDomain } from "../patients/beneficiary.ts";
import { type Acceptance, consentsMissing, consentsRecordedWith, recordConsents } from "../patients/consents.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { findUnproven, lockForSignUp, registerUnproven } from "../patients/unproven.ts";
import { auditRecordedWith } from "../platform/audit-store.ts";
import { inTransaction, type StatementPart, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { RateLimiter } from "../platform/http/rate-limit.ts";
import type { Ids } from "../platform/ids.ts";
import { collides, otherMailbox } from "./known-patient.ts";
import { countOfVisit } from "./onboarding/visit-limit.ts";
import { type OpenedWidgetToken, requireLive, requireOrdersPatient, spendToken } from "./open-widget-token.ts";
import { shownTexts } from "./page-state.ts";
import type { LookUpPlanDependencies } from "./plans/look-up-plan.ts";
import { type ProveVisitDependencies, proveVisit } from "./prove-visit.ts";
import { eventTypeOfNewPatient, eventTypeOfPatient } from "./widget-session.ts";

/** Far above what a patient with typing errors needs. */
const SIGN_UPS_PER_HOUR_MAX = 30;

export interface RegisterPatientDependencies extends LookUpPlanDependencies, ProveVisitDependencies {
  readonly ids: Ids;
  readonly rateLimiter: Pick<RateLimiter, "take">;
}

export interface Registration {
  readonly opened: OpenedWidgetToken;
  readonly body: z.output<typeof registerPatientRequestSchema>;
  readonly ip: string;
  readonly userAgent: string | null;
}

/**
 * Creates the user and the beneficiary. Until a code or the registry proves it, the registration has no effect: it
 * stays in the visit's own domain and does not change the RUT's record. If the RUT's record has the same e-mail,
 * returns that record. Uses up a token without an order.
 * Throws 409 `RUT_OTHER_EMAIL` with a hint if the record, or the visit's order, has another e-mail. Also throws
 * `insurer_not_supported`, `validation_error`, `consents_missing` and the 410s.
 */
export async function registerPatient(
  dependencies: RegisterPatientDependencies,
  { opened, body, ip, userAgent }: Registration,
): Promise<{ readonly created: boolean; readonly patient: RegisterPatientResponse }> {
  const person = newPerson(opened, body);
  // Checked before the consents: a patient with an ended link needs another one, whatever they tick.
  requireLive(opened);
  requireConsents(body);
  // Each refusal contains a hint of the registered address, so repeated requests are limited.
  await countOfVisit(dependencies, { name: "onboarding", opened, of: person.rut, requestsMax: SIGN_UPS_PER_HOUR_MAX });
  const accepted = acceptanceOf(opened, { rut: visitDomain(opened.token.id), ip, userAgent });
  const { beneficiary, created } = await register(dependencies, opened, person, { consents: body.consents, accepted });
  const patient = created
    ? describe(beneficiary, eventTypeOfNewPatient(opened))
    : await describePatient(dependencies, opened, beneficiary);
  return { created, patient };
}

interface Registered {
  readonly beneficiary: Beneficiary;
  readonly created: boolean;
}

function register(
  dependencies: RegisterPatientDependencies,
  opened: OpenedWidgetToken,
  person: NewBeneficiary,
  { consents, accepted }: { readonly consents: Registration["body"]["consents"]; readonly accepted: Acceptance },
): Promise<Registered> {
  const { ids } = dependencies;
  const { token, provider, order, now } = opened;
  return inTransaction(dependencies.db, async (tx) => {
    const { record, registration: locked } = await lockForSignUp(tx, person, token.id);
    if (record !== null) await requireSameMailbox(tx, opened, { record, email: person.email });
    const visit = { widgetTokenId: token.id, until: token.expiresAt, at: now, locked };
    const { registration, created } = await registerUnproven(tx, ids, person, visit, (id) => [
      consentsRecordedWith("registered", ids, consents, accepted),
      signUpAuditedWith("registered", ids, opened, id),
    ]);
    if (!created) await recordConsents(tx, ids, consents, accepted);
    await endOnboarding(tx, opened);
    // The registry matched before the sign-up, in a visit of the same order. A recognition is weaker proof.
    const matchedAt = order === null || order.identityRecognised ? null : order.identityValidatedAt;
    const proven =
      matchedAt === null
        ? null
        : await proveVisit(dependencies, tx, {
            provider,
            rut: person.rut,
            visit: { id: token.id },
            by: "registry",
            matchedAt,
            now,
          });
    return { beneficiary: proven?.record ?? record ?? registration, created: record === null && created };
  });
}

function signUpAuditedWith(
  source: string,
  ids: Ids,
  { provider, now }: OpenedWidgetToken,
  registrationId: string,
): StatementPart {
  return auditRecordedWith(source, {
    id: ids.uuid(),
    providerId: provider.id,
    actor: "patient",
    credentialId: null,
    act: "registration.made",
    subject: { kind: "beneficiary", id: registrationId },
    at: now,
  });
}

/** Uses up a token without an order, whose purpose is fulfilled. The order's payment uses up a token with an order. */
export async function endOnboarding(tx: Transaction, { token, now }: OpenedWidgetToken): Promise<void> {
  if (token.orderId === null) await spendToken(tx, token.id, now);
}

/**
 * Throws `consents_missing` if a patient gives the password of their insurer's portal without consent to its storage.
 */
export function requireConsents(signUp: Pick<Registration["body"], "consents" | "sealed_insurer_access">): void {
  const sealedNeeds = signUp.sealed_insurer_access === undefined ? [] : (["insurer_access"] as const);
  if (consentsMissing("onboarding", signUp.consents, sealedNeeds).length > 0) throw new ApiError("consents_missing");
}

/** The record of the consents given in a sign-up. */
export function acceptanceOf(
  { token, provider, now }: OpenedWidgetToken,
  by: Pick<Acceptance, "rut" | "ip" | "userAgent">,
): Acceptance {
  return {
    ...by,
    providerId: provider.id,
    orderId: token.orderId,
    shown: shownTexts(token),
    acceptedAt: now,
  };
}

/** The registered or recovered patient as the widget shows it. */
export async function describePatient(
  dependencies: LookUpPlanDependencies,
  opened: OpenedWidgetToken,
  beneficiary: Beneficiary,
): Promise<RegisterPatientResponse> {
  const { db } = dependencies;
  const { token, provider, now } = opened;
  const { rut } = beneficiary;
  const patient = {
    record: await findBeneficiary(db, { tenant: tenantOf(provider), rut }),
    registration: await findUnproven(db, [token.id], { rut, now }),
  };
  const eventType = await eventTypeOfPatient(dependencies, opened, { ...patient, notifiesWithdrawal: true });
  return describe(beneficiary, eventType);
}

function describe({ userId, id, proofUntil }: Beneficiary, eventType: EventType): RegisterPatientResponse {
  return {
    user_id: userId,
    beneficiary_id: id,
    event_type: eventType,
    status: proofUntil === null ? "proven" : "unproven",
    proof_until: proofUntil?.toISOString() ?? null,
  };
}

function newPerson(opened: OpenedWidgetToken, body: Registration["body"]): NewBeneficiary {
  requireOrdersPatient(opened, body.rut);
  if (!isSupportedInsurer(body.insurer)) throw new ApiError("insurer_not_supported");
  return {
    tenant: tenantOf(opened.provider),
    rut: body.rut,
    providerId: opened.provider.id,
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    phoneNumber: body.phone_number,
    insurer: body.insurer,
    sealedInsurerAccess: body.sealed_insurer_access ?? null,
  };
}

/**
 * Throws 409 unless the visit names the mailbox of the record. Naming it proves nothing yet: the registration takes
 * effect only after a code or a registry match.
 */
async function requireSameMailbox(
  tx: Transaction,
  { order }: OpenedWidgetToken,
  { record, email }: { readonly record: Beneficiary; readonly email: Email },
): Promise<void> {
  const isSame = sameEmail(record.email, email) && (order === null || !(await collides(tx, order, record)));
  if (!isSame) throw otherMailbox(record);
}
