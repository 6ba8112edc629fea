import * as z from "zod";
import { IDENTITY_TRUSTED_DAYS_MAX } from "../contract/terms.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import { emailSchema } from "../contract/vocabulary/email.ts";
import { phoneSchema } from "../contract/vocabulary/phone.ts";
import { rutSchema } from "../contract/vocabulary/rut.ts";

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
