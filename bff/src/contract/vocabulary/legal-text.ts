import * as z from "zod/mini";

/** The operator's texts that are agreed to with a payment, in the order in which they are shown. */
export const legalTextKindSchema = z.enum(["contract", "summary_sheet", "privacy_notice"]);
export type LegalTextKind = z.infer<typeof legalTextKindSchema>;

export const legalTextVersionSchema = z
  .string()
  .check(z.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must be up to 64 letters, digits, dots and dashes"));

/** Names a text, in all its languages. What a version says is never changed. */
export const legalTextNameSchema = z.object({ kind: legalTextKindSchema, version: legalTextVersionSchema });
export type LegalTextName = z.infer<typeof legalTextNameSchema>;
