import * as z from "zod/mini";

/** The files of a paid order that its patient keeps. */
export const orderDocumentSchema = z.enum(["receipt", "agreement", "calendar"]);
export type OrderDocument = z.infer<typeof orderDocumentSchema>;

/** The receipt of a paid order, to be kept. */
export const receiptFileSchema = z.object({
  name: z.string(),
  type: z.literal("application/pdf"),
  base64: z.string(),
});
export type PdfFile = z.infer<typeof receiptFileSchema>;

/** The second charge as a calendar entry (RFC 5545). */
export const calendarFileSchema = z.object({
  name: z.string(),
  type: z.literal("text/calendar"),
  base64: z.string(),
});
export type CalendarFile = z.infer<typeof calendarFileSchema>;

/** A file of either kind. */
export const orderFileSchema = z.object({
  name: z.string(),
  type: z.enum(["application/pdf", "text/calendar"]),
  base64: z.string(),
});
export type OrderFile = z.infer<typeof orderFileSchema>;
