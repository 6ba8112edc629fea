import * as z from "zod/mini";
import { consentPurposeSchema, givenConsentsSchema, patientOrderSchema, timestampSchema } from "./orders.ts";
import { quoteSchema } from "./quote.ts";
import { CUSTOM_LIFETIME_MINUTES_MAX, CUSTOM_LIFETIME_MINUTES_MIN } from "./terms.ts";
import { EMAIL_LENGTH_MAX, emailSchema } from "./vocabulary/email.ts";
import { orderHashSchema, widgetTokenSchema } from "./vocabulary/identifiers.ts";
import { isPlainText, PLAIN_TEXT_MESSAGE } from "./vocabulary/person-name.ts";
import { personRutSchema, rutSchema } from "./vocabulary/rut.ts";

export const localeSchema = z.enum(["es-CL", "en"]);
export type Locale = z.infer<typeof localeSchema>;

const shortTextSchema = z.string().check(z.trim(), z.maxLength(255));
const shortNameSchema = shortTextSchema.check(z.refine(isPlainText, PLAIN_TEXT_MESSAGE));

/** What the partner knows of the patient, to prefill the form. None of it is trusted. */
export const userDataSchema = z.object({
  name: z.optional(shortNameSchema),
  surname: z.optional(shortNameSchema),
  email: z.optional(z.string().check(z.trim(), z.maxLength(EMAIL_LENGTH_MAX))),
  phone_number: z.optional(shortTextSchema),
  rut: z.optional(personRutSchema),
});
export type UserData = z.infer<typeof userDataSchema>;

/** An origin without a path: `https://clinic.example` or, on a developer's machine, `http://127.0.0.1:4000`. */
export const originSchema = z
  .string()
  .check(z.maxLength(255), z.regex(/^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?$/, "must be an origin"));

/**
 * The address to which a patient returns: a page (`https://clinic.example/paid`), or an app by its own scheme. Such a
 * scheme is a reversed domain name (`cl.clinic.app:/paid`, RFC 8252). Its dot distinguishes it from every scheme that a
 * browser runs, reads or passes to another app.
 */
export const returnUrlSchema = z
  .string()
  .check(
    z.maxLength(500),
    z.regex(
      /^(https?:\/\/[^\s@#\\]+|[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/[^\s@#\\]*)$/,
      "must be a page, or an address of your app's own scheme",
    ),
  );

const lifetimeMinutesSchema = z.int().check(z.gte(CUSTOM_LIFETIME_MINUTES_MIN), z.lte(CUSTOM_LIFETIME_MINUTES_MAX));

/** The lifetime of a token may also be given in the query. */
export const lifetimeQueryFields = {
  // Python writes `True`.
  long_term_token: z.optional(
    z.pipe(
      z.enum(["true", "false", "True", "False"]),
      z.transform((word: "true" | "false" | "True" | "False") => word.toLowerCase() as "true" | "false"),
    ),
  ),
  expires_in_minutes: z.optional(
    z.pipe(
      z.pipe(z.string().check(z.regex(/^\d{1,5}$/, "must be a number of minutes")), z.transform(Number)),
      lifetimeMinutesSchema,
    ),
  ),
};

/** The sub-clinic that a meta-provider's patient sees instead of the meta-provider. */
export const providerDataSchema = z.object({
  rut: z.optional(rutSchema),
  name: z.optional(
    z.string().check(z.trim(), z.maxLength(255), z.refine(isPlainText, PLAIN_TEXT_MESSAGE), z.minLength(1)),
  ),
  logo_url: z.optional(z.url({ protocol: /^https$/ }).check(z.maxLength(2_048))),
  support_email: z.optional(emailSchema),
});
export type ProviderData = z.infer<typeof providerDataSchema>;

/** Body of `POST /api/spot/widget`. */
export const mintWidgetTokenRequestSchema = z.object({
  rut: z.optional(personRutSchema),
  user_data: z.optional(userDataSchema),
  order_token: z.optional(orderHashSchema),
  long_term_token: z.optional(z.boolean()),
  expires_in_minutes: z.optional(lifetimeMinutesSchema),
  provider_data: z.optional(providerDataSchema),
  parent_origin: z.optional(originSchema),
  return_url: z.optional(returnUrlSchema),
  native: z.optional(z.boolean()),
  locale: z.optional(localeSchema),
  qr: z.optional(z.boolean()),
  deliver: z.optional(z.strictObject({ email: emailSchema })),
});
export type MintWidgetTokenRequest = z.input<typeof mintWidgetTokenRequestSchema>;

export const mintWidgetTokenResponseSchema = z.object({
  widget_token: widgetTokenSchema,
  url: z.url(),
  expires_at: timestampSchema,
  /** `url` as a QR code, if it was requested. */
  qr_svg: z.optional(z.string()),
});
export type MintWidgetTokenResponse = z.infer<typeof mintWidgetTokenResponseSchema>;

/** Response of `DELETE /api/spot/widget/{token}`. */
export const revokeWidgetTokenResponseSchema = z.object({ status: z.literal("revoked") });

export const eventTypeSchema = z.enum([
  "SPOT_USER_NEW",
  "SPOT_USER_SUBSCRIBED",
  "PROVIDER_CHARGES",
  "REFUNDS_LEFT",
  "FREE_TRIAL_EXPIRED_USER",
  "INSURER_ACCESS_BLOCKED",
]);
/** How well the patient is known, no more precisely than `is_user_subscribed` reports. */
export type EventType = z.infer<typeof eventTypeSchema>;

/**
 * A partner's styling of the widget. Colours are `#rrggbb`; the widget only accepts one on which white text is
 * readable.
 */
export const appearanceSchema = z.object({
  accent: z.optional(z.string().check(z.regex(/^#[0-9a-f]{6}$/i))),
  radius: z.optional(z.enum(["none", "small", "medium", "large"])),
  font: z.optional(z.enum(["system", "humanist", "geometric", "serif"])),
  color_scheme: z.optional(z.enum(["light", "dark", "auto"])),
  density: z.optional(z.enum(["comfortable", "compact"])),
  labels: z.optional(z.enum(["above", "inside"])),
});
export type Appearance = z.infer<typeof appearanceSchema>;

/** A public RSA key as JWK (RFC 7517), for sealing in the browser with RSA-OAEP-256 and A256GCM. */
export const sealingKeySchema = z.object({
  kty: z.literal("RSA"),
  kid: z.string(),
  alg: z.literal("RSA-OAEP-256"),
  use: z.literal("enc"),
  n: z.string(),
  e: z.string(),
});
export type SealingKey = z.infer<typeof sealingKeySchema>;

/**
 * A consent as the page shows it, in the step `step`. `text_sha256` hashes its wording (UTF-8). In the wording,
 * `{{today}}`, `{{later_charge}}` and `{{latest_date}}` stand for the values of the session's quote; `text` has them
 * filled in.
 */
export const consentTextSchema = z.object({
  purpose: consentPurposeSchema,
  step: z.enum(["onboarding", "card", "payment"]),
  required: z.boolean(),
  text_version: z.string(),
  text: z.string(),
  text_sha256: z.string(),
});
export type ConsentText = z.infer<typeof consentTextSchema>;

/** Response of `GET /api/spot/widget/{token}`, also embedded in the widget's page. */
export const widgetSessionSchema = z.object({
  event_type: eventTypeSchema,
  user_data: userDataSchema,
  order_token: z.nullable(orderHashSchema),
  order: z.nullable(patientOrderSchema),
  quote: z.nullable(quoteSchema),
  provider: z.object({
    name: z.string(),
    logo_url: z.nullable(z.string()),
    appearance: appearanceSchema,
    support: z.object({
      email: z.string(),
      phone: z.nullable(z.string()),
      /** In E.164; absent in answers of the previous version. */
      whatsapp: z.optional(z.nullable(z.string())),
    }),
  }),
  client_id: z.string(),
  public_key: z.string(),
  parent_origins: z.array(originSchema),
  /** The address to which a patient returns from a full page; null if there is none. */
  return_url: z.nullable(z.string()),
  /** Whether an app opens the page and may exchange messages with it. */
  native: z.boolean(),
  /** Null while the recipient is unavailable and has never published a key. */
  sealing_keys: z.object({ card: z.nullable(sealingKeySchema), insurer_access: z.nullable(sealingKeySchema) }),
  /** `page`: the patient enters their card on the card processor's own page, and no card fields are shown. */
  card_entry: z.optional(z.enum(["fields", "page"])),
  /** The processor's page cannot be framed, so the press that asks for it opens a window. Absent if it can. */
  card_page_display: z.optional(z.literal("window")),
  /** Why the order can never be paid, whatever its patient does. Absent if it can. */
  blocked_by: z.optional(z.enum(["amount_too_small", "amount_too_large"])),
  consents: z.array(consentTextSchema),
  /**
   * The operator's sentence about the right of withdrawal, shown with the quote; null without a quote. The previous
   * version omits it.
   */
  withdrawal: z.optional(z.nullable(z.string())),
  locale: localeSchema,
  /** The patient chose `locale`; a process of the version before leaves it out. */
  locale_chosen: z.optional(z.boolean()),
  /**
   * The purpose of the token. The service itself makes all tokens except those for the first two, and sends them to the
   * registered address.
   */
  purpose: z.enum([
    "checkout",
    "onboarding",
    "insurer_access",
    "card_change",
    "pay_early",
    "my_data",
    "objection",
    "payment",
  ]),
  expires_at: timestampSchema,
  server_time: timestampSchema,
});
export type WidgetSession = z.infer<typeof widgetSessionSchema>;

/**
 * Body of `POST /api/spot/widget/shown`: the page is visible, and the patient has acted on it. `texts` are those of the
 * session's `consents` that are on the screen; `locale` is the language that the patient chose, if they did.
 */
export const reportShownRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  texts: z._default(givenConsentsSchema, []),
  locale: z.optional(localeSchema),
});
export type ReportShownRequest = z.input<typeof reportShownRequestSchema>;
/** `shown_at`: when the page was first shown. */
export const reportShownResponseSchema = z.object({ shown_at: timestampSchema });
export type ReportShownResponse = z.infer<typeof reportShownResponseSchema>;
