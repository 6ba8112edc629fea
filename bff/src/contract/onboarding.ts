import * as z from "zod/mini";
import { givenConsentsSchema, NAME_LENGTH_MAX, sealedValueSchema, timestampSchema } from "./orders.ts";
import { emailSchema } from "./vocabulary/email.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";
import { phoneSchema } from "./vocabulary/phone.ts";
import { personRutSchema } from "./vocabulary/rut.ts";
import { eventTypeSchema } from "./widget-tokens.ts";

/** Our own slugs: the codes that others use for the isapres clash. */
export const INSURERS = {
  banmedica: "Banmédica",
  colmena: "Colmena",
  consalud: "Consalud",
  cruz_blanca: "Cruz Blanca",
  nueva_masvida: "Nueva Masvida",
  vida_tres: "Vida Tres",
  esencial: "Esencial",
  cruz_del_norte: "Cruz del Norte",
  isalud: "Isalud",
  fundacion: "Fundación",
} as const;
export type Insurer = keyof typeof INSURERS;

/** A patient may say these, and is then told why the flow needs an isapre (422 `insurer_not_supported`). */
export const UNSUPPORTED_INSURERS = { fonasa: "Fonasa", none: "Sin isapre" } as const;
export type UnsupportedInsurer = keyof typeof UNSUPPORTED_INSURERS;

export const insurerChoiceSchema = z.enum([
  "banmedica",
  "colmena",
  "consalud",
  "cruz_blanca",
  "nueva_masvida",
  "vida_tres",
  "esencial",
  "cruz_del_norte",
  "isalud",
  "fundacion",
  "fonasa",
  "none",
]);
export type InsurerChoice = z.infer<typeof insurerChoiceSchema>;

export function isSupportedInsurer(choice: InsurerChoice): choice is Insurer {
  return Object.hasOwn(INSURERS, choice);
}

const nameSchema = z.string().check(z.trim(), z.minLength(1), z.maxLength(NAME_LENGTH_MAX));

/** Body of `POST /api/spot/user`. */
export const registerPatientRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  rut: personRutSchema,
  first_name: nameSchema,
  last_name: nameSchema,
  email: emailSchema,
  phone_number: phoneSchema,
  insurer: insurerChoiceSchema,
  sealed_insurer_access: z.optional(sealedValueSchema),
  consents: z._default(givenConsentsSchema, []),
});
export type RegisterPatientRequest = z.input<typeof registerPatientRequestSchema>;

export const registerPatientResponseSchema = z.object({
  user_id: z.uuid(),
  beneficiary_id: z.uuid(),
  event_type: eventTypeSchema,
});
export type RegisterPatientResponse = z.infer<typeof registerPatientResponseSchema>;

/** The text inside `sealed_insurer_access`: sealed in the browser for the insurer connector. `iat` in seconds. */
export const insurerAccessToSealSchema = z.object({
  insurer: insurerChoiceSchema,
  rut: personRutSchema,
  password: z.string().check(z.minLength(1), z.maxLength(255)),
  iat: z.int(),
});
export type InsurerAccessToSeal = z.input<typeof insurerAccessToSealSchema>;

/**
 * Body of `POST /api/spot/user/recovery`. `email` is the new address of the way by identity. Codes are limited for a RUT and
 * for the address that they are sent to, which by `email_code` is the registered one.
 */
export const startRecoveryRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  rut: personRutSchema,
  way: z.enum(["email_code", "identity"]),
  document_serial: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  email: z.optional(emailSchema),
});
export type StartRecoveryRequest = z.input<typeof startRecoveryRequestSchema>;
export const startRecoveryResponseSchema = z.object({
  sent_to: z.string(),
  expires_at: timestampSchema,
  resend_after: timestampSchema,
});
export type StartRecoveryResponse = z.infer<typeof startRecoveryResponseSchema>;

/**
 * Body of `POST /api/spot/user/recovery/verify`; answered as `POST /api/spot/user` is. What the patient gave in the sign-up
 * that met the registered RUT may come with the code: then it holds. Left out, the RUT is taken back and nothing else
 * changes. A code that was sent to the registered address counts only as long as the RUT is registered there.
 */
export const verifyRecoveryRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  rut: personRutSchema,
  code: z.string().check(z.trim(), z.regex(/^\d{6}$/)),
  /** Whose password `sealed_insurer_access` is, and needed with it. */
  insurer: z.optional(insurerChoiceSchema),
  sealed_insurer_access: z.optional(sealedValueSchema),
  consents: z.optional(givenConsentsSchema),
});
export type VerifyRecoveryRequest = z.input<typeof verifyRecoveryRequestSchema>;

/** Body of `POST /api/spot/user/recovery/objection`: the token of the link that the old address was sent. */
export const objectToEmailChangeRequestSchema = z.object({ widget_token: widgetTokenSchema });
export type ObjectToEmailChangeRequest = z.input<typeof objectToEmailChangeRequestSchema>;
export const objectToEmailChangeResponseSchema = z.object({ status: z.literal("undone") });

/** Answer of `GET /api/spot/is_user_subscribed`. */
export const subscriptionStatusSchema = z.object({ is_subscribed: z.boolean(), is_free_trial: z.boolean() });
export type SubscriptionStatus = z.infer<typeof subscriptionStatusSchema>;

/** Body of `PUT /api/spot/subscriptions/{rut}`: the patient's plan, in place of the one before. */
export const setSubscriptionRequestSchema = z.object({
  plan: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
  status: z.enum(["active", "cancelled"]),
  /** Left out or null: without an end. */
  valid_until: z.optional(z.nullable(timestampSchema)),
  paid_by: z._default(z.enum(["patient", "provider"]), "patient"),
});
export type SetSubscriptionRequest = z.input<typeof setSubscriptionRequestSchema>;
export const setSubscriptionResponseSchema = z.object({
  rut: z.string(),
  plan: z.string(),
  status: z.enum(["active", "cancelled"]),
  valid_until: z.nullable(timestampSchema),
  paid_by: z.enum(["patient", "provider"]),
  updated_at: timestampSchema,
});

export const profileSchema = z.object({
  provider: z.object({ name: z.string(), rut: z.string() }),
  environment: z.enum(["staging", "production"]),
  scopes: z.array(z.string()),
});
