import * as z from "zod";
import { emailSchema } from "../contract/vocabulary/email.ts";

/** The terms of a provider that can be changed later. */
export const agreedFields = {
  name: z.string().trim().min(1).max(255),
  /** In percent of the total less refunds, including VAT, charged with the deferred part; at most two decimals. */
  commissionPercentage: z.number().min(0).max(100).multipleOf(0.01),
  /** Why the commission is lawful, where it is a higher yearly rate than the law allows for credit. */
  commissionLegalBasis: z.string().trim().min(10).max(500).nullable(),
  supportEmail: emailSchema,
  supportPhone: z.string().trim().min(1).max(40).nullable(),
  logoUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .nullable(),
  captureFirst: z.boolean(),
  unpaidOrderExpiryMinutes: z.number().int().min(1).max(525_600).nullable(),
};

/** Converts percent to basis points: 5.9 becomes 590. */
export function basisPoints(percentage: number): number {
  return Math.round(percentage * 100);
}
