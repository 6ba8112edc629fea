import type { Insurer } from "../contract/onboarding.ts";
import type { Email } from "../contract/vocabulary/email.ts";
import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";

/** A patient's record, with the address of the user who stands for it. */
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
  /** The insurer portal's password as it came, sealed in the browser; it can be opened by the insurer connector alone. */
  readonly sealedInsurerAccess: string | null;
  readonly insurerAccessAt: Date | null;
  readonly createdAt: Date;
}

const PSEUDONYM = "erased:";

/** What stands in the place of an erased patient's RUT. */
export function pseudonymOf(beneficiaryId: string): string {
  return `${PSEUDONYM}${beneficiaryId}`;
}

/** Was the patient erased whose record this was? */
export function isPseudonym({ rut }: Pick<Beneficiary, "rut">): boolean {
  return rut.startsWith(PSEUDONYM);
}

/** Which patient: people are known by RUT within a tenant. */
export interface BeneficiaryKey {
  readonly tenant: string;
  readonly rut: Rut;
}

/** Somebody who registers, or is registered. */
export interface NewBeneficiary extends BeneficiaryKey {
  readonly providerId: string;
  readonly email: Email;
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: Phone;
  readonly insurer: Insurer;
  readonly sealedInsurerAccess: string | null;
}
