import { type Insurer, type InsurerChoice, insurerChoiceSchema } from "bff/contract/onboarding";
import type { DocumentType } from "bff/contract/orders";
import { emailSchema } from "bff/contract/vocabulary/email";
import { readPhone } from "bff/contract/vocabulary/phone";
import { isPersonRut, readTypedRut } from "bff/contract/vocabulary/rut";
import * as z from "zod/mini";
import { tidyRut } from "../../form/fields.tsx";
import { validatedText } from "../../form/step-form.ts";
import { serialSchema } from "../identity/serial.ts";

const personFields = {
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
};
const personSchema = z.object(personFields);

const signUpFields = {
  ...personFields,
  insurer: validatedText((text) => (insurerChoiceSchema.safeParse(text).success ? null : "insurer_missing")),
  insurer_access: z.string(),
  document_type: z.enum(["CEDULA", "CEDULA_EXT"]),
  document_serial: z.string(),
};
const signUpSchema = z.object(signUpFields);

/** The input of this step. The contract's own parsers validate it here, and the service validates it again. */
export type PatientValues = z.infer<typeof signUpSchema>;

/** The required answers. A visit without an order needs no document; one that has signed up needs nothing else. */
export interface Asked {
  readonly isRegistered: boolean;
  readonly hasDocument: boolean;
}

export function patientSchema({ isRegistered, hasDocument }: Asked): z.ZodMiniType<PatientValues, PatientValues> {
  return z.object({
    ...signUpFields,
    ...(isRegistered && { insurer: z.string() }),
    ...(hasDocument && { document_serial: serialSchema() }),
  });
}

/** Whether all identifying data is known and readable, so that it need not be typed. */
export function isPersonKnown(values: Partial<PatientValues>): boolean {
  return personSchema.safeParse(values).success;
}

export interface IdentityDocument {
  readonly serial: string;
  readonly type: DocumentType;
}

/** The values to send: a normalized RUT and a supported isapre. */
export type PatientAnswers = Omit<PatientValues, "insurer" | "document_type" | "document_serial"> & {
  readonly insurer: Insurer;
};

/** Null if no isapre is chosen, or an unsupported one. */
export function readPatientAnswers(values: PatientValues): PatientAnswers | null {
  const insurer = insurerChoiceSchema.safeParse(values.insurer);
  if (!insurer.success || isUnsupported(insurer.data)) return null;
  return { ...values, rut: tidyRut(values.rut), insurer: insurer.data };
}

export function isUnsupported(insurer: InsurerChoice | string): insurer is "fonasa" | "none" {
  return insurer === "fonasa" || insurer === "none";
}

/** The identifying fields, in their order on the screen. */
export const PERSON_FIELDS = [
  "rut",
  "first_name",
  "last_name",
  "email",
  "phone_number",
] as const satisfies readonly (keyof PatientValues)[];

/** All fields, in their order on the screen. */
export const PATIENT_FIELDS = [
  "insurer",
  ...PERSON_FIELDS,
  "document_type",
  "document_serial",
  "insurer_access",
] as const satisfies readonly (keyof PatientValues)[];
