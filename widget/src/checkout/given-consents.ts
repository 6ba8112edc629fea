import type { ConsentPurpose, GivenConsent } from "bff/contract/orders";
import type { ConsentText } from "bff/contract/widget-tokens";

/** The ticked consents, each with the version and hash of the text shown. */
export function givenConsents(
  consents: readonly ConsentText[],
  step: ConsentText["step"],
  given: readonly ConsentPurpose[],
): GivenConsent[] {
  return consents
    .filter((consent) => consent.step === step && given.includes(consent.purpose))
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}
