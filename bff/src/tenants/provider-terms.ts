import * as z from "zod";
import { IDENTITY_TRUSTED_DAYS_MAX } from "../contract/terms.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import { emailSchema } from "../contract/vocabulary/email.ts";
import { phoneSchema } from "../contract/vocabulary/phone.ts";
import { rutSchema } from "../contract/vocabulary/rut.ts";
import { originSchema, returnUrlSchema } from "../contract/widget-tokens.ts";
import type { Environment } from "../platform/provider.ts";

const issuerSchema = z.strictObject({ name: z.string().trim().min(1).max(255), rut: rutSchema });

/** How the commission is taxed. A taxed service names who issues its tax documents; interest may. */
const commissionTaxSchema = z.discriminatedUnion("regime", [
  z.strictObject({ regime: z.literal("interest"), issuer: z.optional(issuerSchema) }),
  z.strictObject({ regime: z.literal("taxed_service"), issuer: issuerSchema }),
]) satisfies z.ZodType<CommissionTax>;

/** The terms of a provider that can be changed later. */
export const agreedFields = {
  name: z.string().trim().min(1).max(255),
  /** In percent of the total less refunds, charged with the deferred part, VAT included; at most two decimals. */
  commissionPercentage: z.number().min(0).max(100).multipleOf(0.01),
  commissionTax: commissionTaxSchema,
  /** The legal basis of a commission whose yearly rate exceeds the maximum for credit. */
  commissionLegalBasis: z.string().trim().min(10).max(500).nullable(),
  supportEmail: emailSchema,
  supportPhone: z.string().trim().min(1).max(40).nullable(),
  supportWhatsapp: z.nullable(phoneSchema),
  logoUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .nullable(),
  captureFirst: z.boolean(),
  cardPage: z.boolean(),
  knownPatients: z.boolean(),
  takesMinors: z.boolean(),
  identityTrustedDays: z.number().int().min(1).max(IDENTITY_TRUSTED_DAYS_MAX),
  unpaidOrderExpiryMinutes: z.number().int().min(1).max(525_600).nullable(),
};

/** Converts percent to basis points: 5.9 becomes 590. */
export function basisPoints(percentage: number): number {
  return Math.round(percentage * 100);
}

/** The maximum number of origins per provider: the 50 that a sandbox tenant may be given, and its local ones. */
const ORIGINS_MAX = 64;

/**
 * Origins of pages that may frame the widget: `https://clinic.example`, or with `http:` on a developer's machine.
 * Letter case, duplicates and an explicit default port are normalised.
 */
export const originsSchema = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .pipe(originSchema)
      .refine((text) => URL.canParse(text), "must be an origin")
      .transform((text) => new URL(text).origin),
  )
  .transform((origins) => [...new Set(origins)])
  .pipe(z.array(z.string()).max(ORIGINS_MAX));

/** Thrown when an origin or a return URL without HTTPS is registered in production. */
export class OriginNotSecure extends Error {
  override readonly name = "OriginNotSecure";
  readonly code = "origin_not_secure";
}

/** Throws `OriginNotSecure` for an origin or a return URL without HTTPS in production. */
export function requireSecure(addresses: readonly string[], environment: Environment): void {
  const insecure = addresses.find((address) => environment === "production" && address.startsWith("http:"));
  if (insecure !== undefined) throw new OriginNotSecure(`In production it must be https: ${insecure}`);
}

/** The maximum number of return URLs that one provider may register. */
const RETURN_URLS_MAX = 20;

/** Return URLs of a page or an app, in the form in which `normalReturnUrl` compares them. */
export const returnUrlsSchema = z
  .array(
    z
      .string()
      .trim()
      .pipe(returnUrlSchema)
      .refine((text) => URL.canParse(text), "must be an address")
      .transform(normalReturnUrl),
  )
  .transform((urls) => [...new Set(urls)])
  .pipe(z.array(z.string()).max(RETURN_URLS_MAX));

/**
 * The normal form of a return URL. URLs are compared whole: an addition by a minter, such as a query, could otherwise
 * make the registered page redirect the patient to a stranger's.
 */
export function normalReturnUrl(text: string): string {
  return new URL(text).href;
}
