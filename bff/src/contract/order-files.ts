import * as z from "zod/mini";

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
