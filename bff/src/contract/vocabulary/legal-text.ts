import * as z from "zod/mini";

/** The operator's texts that are agreed to with a payment, in the order in which they are shown. */
export const legalTextKindSchema = z.enum(["contract", "summary_sheet", "privacy_notice"]);
export type LegalTextKind = z.infer<typeof legalTextKindSchema>;

/** Names a text, in all its languages. What a version says is never changed. */
export const legalTextNameSchema = z.object({ kind: legalTextKindSchema, version: z.string() });
export type LegalTextName = z.infer<typeof legalTextNameSchema>;
