import * as z from "zod/mini";

/** The operator's texts that are agreed to with a payment, in the order in which they are shown. */
export const legalTextKindSchema = z.enum(["contract", "summary_sheet", "withdrawal", "privacy_notice"]);
export type LegalTextKind = z.infer<typeof legalTextKindSchema>;

/** Identifies a text in all its languages. The content of a version never changes. */
export const legalTextNameSchema = z.object({ kind: legalTextKindSchema, version: z.string() });
export type LegalTextName = z.infer<typeof legalTextNameSchema>;
