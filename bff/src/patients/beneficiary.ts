import type { Insurer } from "../contract/onboarding.ts";
import type { Email } from "../contract/vocabulary/email.ts";
import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Environment, Provider } from "../platform/provider.ts";

/** A patient's record, with the e-mail address of its user. */
export interface Beneficiary {
  readonly id: string;
  readonly tenant: string;
  readonly rut: Rut;
  readonly userId: string;
  readonly email: Email;
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: Phone;
  readonly insurer: Insurer;
  /** The password of the insurer's portal, sealed in the browser; only the insurer connector can open it. */
  readonly sealedInsurerAccess: string | null;
  readonly insurerAccessAt: Date | null;
  readonly createdAt: Date;
  /** When the period to prove the registration ends; null if it is proven. */
  readonly proofUntil: Date | null;
  /** The method of proof; null if unproven, or proved before the method was recorded. */
  readonly provedBy: "code" | "registry" | null;
  /**
   * When the registry last matched the patient in a visit with the record's mailbox; null if never, or if the match was
   * revoked.
   */
  readonly identityMatchedAt: Date | null;
  /** When the record last got a new mailbox or telephone. */
  readonly contactChangedAt: Date | null;
}

const PSEUDONYM = "erased:";

/** The pseudonym that replaces an erased patient's RUT. */
export function pseudonymOf(beneficiaryId: string): string {
  return `${PSEUDONYM}${beneficiaryId}`;
}

/** Whether the record belongs to an erased patient. */
export function isPseudonym({ rut }: Pick<Beneficiary, "rut">): boolean {
  return rut.startsWith(PSEUDONYM);
}

/** Identifies a patient: by RUT within a tenant. */
export interface BeneficiaryKey {
  readonly tenant: string;
  readonly rut: Rut;
}

/** The data of a patient to register. */
export interface NewBeneficiary extends BeneficiaryKey {
  readonly providerId: string;
  readonly email: Email;
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: Phone;
  readonly insurer: Insurer;
  readonly sealedInsurerAccess: string | null;
}

/** The production tenant, in which all providers share the same patients. */
export const SHARED_TENANT = "everybody";

/**
 * The tenant whose patients a provider serves. Production has one tenant for all providers. In staging each provider
 * has its own, so that tests do not interfere.
 */
export function tenantOf(provider: Pick<Provider, "id" | "environment">): string {
  return hasOwnPatients(provider.environment) ? provider.id : SHARED_TENANT;
}

/** Whether each provider of an environment has its own patients. */
export function hasOwnPatients(environment: Environment): boolean {
  return environment !== "production";
}

/** The domain of an unproven registration, named after its visit's widget token. Never equal to a tenant's name. */
export function visitDomain(widgetTokenId: string): string {
  return `visit:${widgetTokenId}`;
}

/** The widget token of the visit that a domain is named after. */
export function widgetTokenOfVisit(domain: string): string {
  return domain.slice(visitDomain("").length);
}

/** The provider whose rows belong to a tenant; null for all providers. */
export function providerOfTenant(tenant: string): string | null {
  return tenant === SHARED_TENANT ? null : tenant;
}
