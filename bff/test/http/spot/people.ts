import { consentTexts } from "../../../src/patients/consent-texts.ts";

/** A person to register, with everything that the onboarding requires. */
export const CAMILA = {
  rut: "40100000-3",
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56 9 1234 5678",
  insurer: "colmena",
} as const;

export const MATIAS = { ...CAMILA, rut: "40237731-3", first_name: "Matías", email: "matias@example.com" } as const;

/** The consents of a step, as the widget returns them. */
export function given(step: "onboarding" | "payment", ...purposes: readonly string[]) {
  return consentTexts("es-CL", step)
    .filter(({ required, purpose }) => required || purposes.includes(purpose))
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}
