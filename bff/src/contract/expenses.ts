import * as z from "zod/mini";

const CLAIM_FILE_TYPES = ["application/pdf", "image/jpeg", "image/png", "application/xml"] as const;

/** File types that insurers accept. */
export const claimFileTypeSchema = z.enum(CLAIM_FILE_TYPES);
export type ClaimFileType = z.infer<typeof claimFileTypeSchema>;

/** File types accepted from partners. Photos that insurers refuse are converted. */
export const fileTypeSchema = z.enum([...CLAIM_FILE_TYPES, "image/heic", "image/webp"]);
export type FileType = z.infer<typeof fileTypeSchema>;

/**
 * Fields of an expense that never cause a refusal. Unreadable values are stored as received, and named in the answer.
 */
export const optionalExpenseFieldSchema = z.enum([
  "name",
  "date",
  "receipt_id",
  "receipt_rut",
  "doctor_rut",
  "total",
  "expense_subtypes",
]);
export type OptionalExpenseField = z.infer<typeof optionalExpenseFieldSchema>;

export const expenseStatusSchema = z.enum([
  "received",
  "waiting_order",
  "filed",
  "approved",
  "rejected",
  "held",
  "access_blocked",
]);
export type ExpenseStatus = z.infer<typeof expenseStatusSchema>;

/** The kind of service that the receipt is for; some kinds need a document besides the receipt. */
export const expenseSubtypeSchema = z.enum(["consultation", "exam", "procedure", "medicine", "other"]);
export type ExpenseSubtype = z.infer<typeof expenseSubtypeSchema>;

/**
 * The documents that the clinic must still send before a claim can be filed. `unlocked_receipt`: the receipt is a PDF
 * that needs a password to open; `readable_photo`: a photo could not be read; `other_document`: the insurer names
 * another document. More may be added.
 */
export const missingDocumentSchema = z.enum([
  "receipt",
  "unlocked_receipt",
  "medical_order",
  "prescription",
  "readable_photo",
  "other_document",
]);
export type MissingDocument = z.infer<typeof missingDocumentSchema>;

/** A file as it is stored. */
export const processedFileSchema = z.object({ name: z.string(), bytes: z.int(), type: fileTypeSchema });

/** Success response of `POST /api/spot/gastos` and `gastos-url`; always 200. */
export const expenseResponseSchema = z.object({
  id: z.uuid(),
  status: expenseStatusSchema,
  aapd: z.boolean(),
  skip_pay_order_id: z.nullable(z.string()),
  created: z.boolean(),
  processed_files: z.array(processedFileSchema),
  submission_status: z.enum(["queued", "waiting_order", "not_enqueued"]),
  missing_document_types: z.array(missingDocumentSchema),
  unread_fields: z.array(optionalExpenseFieldSchema),
});
export type ExpenseResponse = z.infer<typeof expenseResponseSchema>;

/**
 * Body of `POST /api/spot/gastos-url`: the fields of the form, with URLs instead of files. The schema is loose, because
 * unreadable values are stored as received, as in the form, instead of being refused with 422.
 */
export const submitExpenseByUrlRequestSchema = z.object({
  urls: z._default(z.array(z.string().check(z.maxLength(2_048))).check(z.maxLength(100)), []),
  name: z.optional(z.unknown()),
  date: z.optional(z.unknown()),
  receipt_id: z.optional(z.unknown()),
  receipt_rut: z.optional(z.unknown()),
  doctor_rut: z.optional(z.unknown()),
  total: z.optional(z.unknown()),
  skip_pay_order_id: z.optional(z.unknown()),
  expense_subtypes: z.optional(z.unknown()),
});
/** The body as a partner sends it. */
export interface SubmitExpenseByUrlRequest {
  urls: string[];
  name?: string;
  date?: string;
  receipt_id?: string;
  receipt_rut?: string;
  doctor_rut?: string;
  total?: number | string;
  skip_pay_order_id?: string;
  expense_subtypes?: ExpenseSubtype[];
}
