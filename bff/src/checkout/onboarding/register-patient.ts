/* Onboarding: patients register, or prove by a code or an identity document that a registered RUT is theirs. */

import type * as z from "zod/mini";
import {
  isSupportedInsurer,
  type RegisterPatientResponse,
  type registerPatientRequestSchema,
} from "../../contract/onboarding.ts";
import { maskEmail, sameEmail } from "../../contract/vocabulary/email.ts";
import type { EventType } from "../../contract/widget-tokens.ts";
import type { Beneficiary, NewBeneficiary } from "../../patients/beneficiary.ts";
import { type Acceptance, consentsMissing, recordConsents } from "../../patients/consents/consents.ts";
import { addInsurerAccess, registerBeneficiary } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { RateLimiter } from "../../platform/http/rate-limit.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Provider } from "../../platform/provider.ts";
import type { LookUpPlanDependencies } from "../plans/look-up-plan.ts";
import { type OpenedWidgetToken, requireLive, spendToken } from "../tokens/open-widget-token.ts";
import { eventTypeOfNewPatient, eventTypeOfPatient } from "../tokens/widget-session.ts";
import { requireOrdersPatient } from "./bound-token.ts";
import { countOfVisit } from "./visit-limit.ts";

/** Far more than a patient who mistypes needs. */
const SIGN_UPS_PER_HOUR_MAX = 30;

export interface RegisterPatientDependencies extends LookUpPlanDependencies {
  readonly ids: Ids;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  /** Cancels a waiting erasure, because a patient who signs up again no longer wishes to be erased. */
  readonly endWaitingErasure: (
    tx: Transaction,
    back: { readonly patient: Beneficiary; readonly provider: Provider; readonly now: Date },
  ) => Promise<void>;
}

export interface Registration {
  readonly opened: OpenedWidgetToken;
  readonly body: z.output<typeof registerPatientRequestSchema>;
  readonly ip: string;
  readonly userAgent: string | null;
}

/**
 * Creates the user and the beneficiary. A RUT that is registered under the same e-mail gives the existing record; under
 * another e-mail it throws 409 `RUT_OTHER_EMAIL` with a hint. A token without an order is used up, and a waiting
 * erasure is cancelled. Also throws `ApiError`: `insurer_not_supported`, `validation_error`, `consents_missing` and the
 * 410s.
 */
export async function registerPatient(
  dependencies: RegisterPatientDependencies,
  { opened, body, ip, userAgent }: Registration,
): Promise<{ readonly created: boolean; readonly patient: RegisterPatientResponse }> {
  const person = newPerson(opened, body);
  requireConsents(body);
  requireLive(opened);
  // Each refusal contains a hint of the registered address, so repeated requests are limited.
  await countOfVisit(dependencies, { name: "onboarding", opened, of: person.rut, requestsMax: SIGN_UPS_PER_HOUR_MAX });
  const accepted = acceptanceOf(opened, { rut: person.rut, ip, userAgent });
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
  const { now } = opened;
  return inTransaction(dependencies.db, async (tx) => {
    const { beneficiary, created } = await registerBeneficiary(tx, dependencies.ids, person, now);
    requireSameEmail(beneficiary, person);
    if (!created) await dependencies.endWaitingErasure(tx, { patient: beneficiary, provider: opened.provider, now });
    if (!created && person.sealedInsurerAccess !== null) {
      const { providerId, sealedInsurerAccess: sealed, insurer } = person;
      const access = { providerId, sealed, insurer, at: now };
      await addInsurerAccess(tx, dependencies.ids, beneficiary, access);
    }
    await recordConsents(tx, dependencies.ids, consents, accepted);
    await endOnboarding(tx, opened);
    return { beneficiary, created };
  });
}

/**
 * Uses up a token without an order, whose purpose is fulfilled. A token with an order is used up by the order's
 * payment.
 */
export async function endOnboarding(tx: Transaction, { token, now }: OpenedWidgetToken): Promise<void> {
  if (token.orderId === null) await spendToken(tx, token.id, now);
}

/**
 * Throws `consents_missing` unless a patient who gives the password of their insurer's portal has accepted that it is
 * stored.
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
    page: { shownAt: token.shownAt, embeddingOrigin: token.parentOrigin },
    acceptedAt: now,
  };
}

/** The registered or recovered patient as the widget shows it. */
export async function describePatient(
  dependencies: LookUpPlanDependencies,
  opened: OpenedWidgetToken,
  beneficiary: Beneficiary,
): Promise<RegisterPatientResponse> {
  const eventType = await eventTypeOfPatient(dependencies, opened, { rut: beneficiary.rut, notifiesWithdrawal: true });
  return describe(beneficiary, eventType);
}

function describe({ userId, id }: Beneficiary, eventType: EventType): RegisterPatientResponse {
  return { user_id: userId, beneficiary_id: id, event_type: eventType };
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

/** Throws 409 with a hint that lets the owner recognise the address and reveals almost nothing to a stranger. */
function requireSameEmail(registered: Beneficiary, person: NewBeneficiary): void {
  if (sameEmail(registered.email, person.email)) return;
  throw new ApiError("RUT_OTHER_EMAIL", {
    email_hint: maskEmail(registered.email),
    recovery: ["email_code", "identity"],
  });
}
