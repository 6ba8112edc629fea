import { type InsurerChoice, insurerChoiceSchema } from "bff/contract/onboarding";
import { emailSchema } from "bff/contract/vocabulary/email";
import { readPhone } from "bff/contract/vocabulary/phone";
import { isPersonRut, readTypedRut } from "bff/contract/vocabulary/rut";
import * as z from "zod/mini";
import { tidyRut } from "../../form/fields.tsx";
import { validatedText } from "../../form/step-form.ts";

/** What the patient types on this step. The contract's own parsers validate it here, and the service does so again. */
export const patientSchema = z.object({
  rut: validatedText((text) => {
    if (text.trim() === "") return "rut_missing";
    const rut = readTypedRut(text);
    if (rut === null) return "rut_malformed";
    return isPersonRut(rut) ? null : "rut_not_person";
  }),
  first_name: validatedText((text) => (text.trim() === "" ? "first_name_missing" : null)),
  last_name: validatedText((text) => (text.trim() === "" ? "last_name_missing" : null)),
  email: validatedText((text) => {
    if (text.trim() === "") return "email_missing";
    return emailSchema.safeParse(text).success ? null : "email_malformed";
  }),
  phone_number: validatedText((text) => {
    if (text.trim() === "") return "phone_missing";
    return readPhone(text) === null ? "phone_malformed" : null;
  }),
  insurer: validatedText((text) => (insurerChoiceSchema.safeParse(text).success ? null : "insurer_missing")),
  insurer_access: z.string(),
});
export type PatientValues = z.infer<typeof patientSchema>;

/** What is sent of it: the RUT as it was understood, and the isapre one of those that can be chosen. */
export type PatientAnswers = Omit<PatientValues, "insurer"> & { readonly insurer: InsurerChoice };

/** Null where no isapre has been chosen; the schema has said so by then. */
export function readPatientAnswers(values: PatientValues): PatientAnswers | null {
  const insurer = insurerChoiceSchema.safeParse(values.insurer);
  return insurer.success ? { ...values, rut: tidyRut(values.rut), insurer: insurer.data } : null;
}

/** The fields in the order in which they stand. */
export const PATIENT_FIELDS = [
  "rut",
  "first_name",
  "last_name",
  "email",
  "phone_number",
  "insurer",
  "insurer_access",
] as const satisfies readonly (keyof PatientValues)[];
