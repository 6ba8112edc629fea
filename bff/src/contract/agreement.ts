import * as z from "zod/mini";
import { timestampSchema } from "./orders.ts";
import { legalTextNameSchema } from "./vocabulary/legal-text.ts";
import { localeSchema } from "./widget-tokens.ts";

/*
 * The agreement of a patient: the operator's contract, summary sheet and privacy notice, filled with the figures of one
 * order.
 */

export const textBlockSchema = z.object({ type: z.enum(["heading", "paragraph", "item"]), text: z.string() });
export type TextBlock = z.infer<typeof textBlockSchema>;

/** A text with the order's figures in it. */
export const filledTextSchema = z.object({
  ...legalTextNameSchema.shape,
  locale: localeSchema,
  title: z.string(),
  blocks: z.array(textBlockSchema),
});
export type FilledText = z.infer<typeof filledTextSchema>;

/**
 * Query of `GET /orders/{hash}/agreement`: the language. After the payment, the texts keep the language that the
 * patient accepted.
 */
export const readAgreementQuerySchema = z.object({ locale: z._default(localeSchema, "es-CL") });

/** `agreed_at` is when the patient accepted these texts; null for the current texts before any agreement. */
export const agreementSchema = z.object({
  agreed_at: z.nullable(timestampSchema),
  texts: z.array(filledTextSchema),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** All texts of an agreement as one file. */
export const agreementFileSchema = z.object({
  name: z.string(),
  type: z.literal("application/pdf"),
  base64: z.string(),
});
export type AgreementFile = z.infer<typeof agreementFileSchema>;
