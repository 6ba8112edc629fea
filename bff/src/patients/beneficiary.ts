import type { Insurer } from "../contract/onboarding.ts";
import type { Email } from "../contract/vocabulary/email.ts";
import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";

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
