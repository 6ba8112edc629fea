import * as z from "zod/mini";
import { givenConsentsSchema, sealedValueSchema, timestampSchema } from "./orders.ts";
import { emailSchema } from "./vocabulary/email.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";
import { personNameSchema } from "./vocabulary/person-name.ts";
import { phoneSchema } from "./vocabulary/phone.ts";
import { personRutSchema } from "./vocabulary/rut.ts";
import { eventTypeSchema } from "./widget-tokens.ts";

/** Our own identifiers, because the codes that others use for the isapres collide. */
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

/** A patient may choose these and then learns why an isapre is required (422 `insurer_not_supported`). */
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

/** Body of `POST /api/spot/user`. */
export const registerPatientRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  rut: personRutSchema,
  first_name: personNameSchema,
  last_name: personNameSchema,
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
  /** `unproven`: without a code or a registry match the registration ends at `proof_until`. */
  status: z.optional(z.enum(["proven", "unproven"])),
  /** Null if it is proven. */
  proof_until: z.optional(z.nullable(timestampSchema)),
});
export type RegisterPatientResponse = z.infer<typeof registerPatientResponseSchema>;

/** The plaintext of `sealed_insurer_access`, which the browser seals for the insurer connector. `iat` in seconds. */
export const insurerAccessToSealSchema = z.object({
  insurer: insurerChoiceSchema,
  rut: personRutSchema,
  password: z.string().check(z.minLength(1), z.maxLength(255)),
  iat: z.int(),
});
export type InsurerAccessToSeal = z.input<typeof insurerAccessToSealSchema>;

/**
 * Body of `POST /api/spot/user/recovery`. `email` is the new address, for recovery by identity. Codes are limited for
 * each RUT and for each address that they are sent to; with `email_code` that is the registered address.
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
 * Body of `POST /api/spot/user/recovery/verify`; the response is that of `POST /api/spot/user`. The data of the sign-up
 * that found the RUT registered may be sent with the code and is then saved; without it, only the RUT is recovered. A
 * code that was sent to the registered address is valid only while the RUT is registered there.
 */
export const verifyRecoveryRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  rut: personRutSchema,
  code: z.string().check(z.trim(), z.regex(/^\d{6}$/)),
  /** The insurer of the password in `sealed_insurer_access`; required with it. */
  insurer: z.optional(insurerChoiceSchema),
  sealed_insurer_access: z.optional(sealedValueSchema),
  consents: z.optional(givenConsentsSchema),
});
export type VerifyRecoveryRequest = z.input<typeof verifyRecoveryRequestSchema>;

/** Body of `POST /api/spot/user/recovery/objection`: the token of the link that was sent to the old address. */
export const objectToEmailChangeRequestSchema = z.object({ widget_token: widgetTokenSchema });
export type ObjectToEmailChangeRequest = z.input<typeof objectToEmailChangeRequestSchema>;
export const objectToEmailChangeResponseSchema = z.object({ status: z.literal("undone") });

/** Response of `GET /api/spot/is_user_subscribed`. */
export const subscriptionStatusSchema = z.object({ is_subscribed: z.boolean(), is_free_trial: z.boolean() });
export type SubscriptionStatus = z.infer<typeof subscriptionStatusSchema>;

/** Body of `PUT /api/spot/subscriptions/{rut}`: the plan that replaces the patient's present one. */
export const setSubscriptionRequestSchema = z.object({
  plan: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
  status: z.enum(["active", "cancelled"]),
  /** The plan does not end if omitted or null. */
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
export type SetSubscriptionResponse = z.infer<typeof setSubscriptionResponseSchema>;

export const profileSchema = z.object({
  provider: z.object({ id: z.uuid(), name: z.string(), rut: z.string() }),
  environment: z.enum(["staging", "production"]),
  scopes: z.array(z.string()),
});
export type Profile = z.infer<typeof profileSchema>;
