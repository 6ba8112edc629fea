import { expenseSubtypeSchema, fileTypeSchema } from "../contract/expenses.ts";
import { EXPENSE_FILE_BYTES_MAX, EXPENSE_FILES_MAX, EXPENSE_FILES_MIN } from "../contract/terms.ts";
import type { JsonSchema, MediaType } from "./openapi-document.ts";

const text = (description: string): JsonSchema => ({ type: "string", maxLength: 255, description });

/** The fields of an expense other than its files, with an example of each. */
export const expenseFields: Readonly<Record<string, JsonSchema>> = {
  skip_pay_order_id: {
    type: "string",
    description: "The order's `hash`. Required for AAPD: without it no claim of that order is ever filed.",
    examples: ["0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11"],
  },
  name: { ...text("The patient's name. Recommended."), examples: ["Camila Rojas Fuentes"] },
  date: {
    ...text(
      "Day of the service: `DD/MM/YYYY`, `DD-MM-YYYY` or ISO; `1/5/2026`, `21/11/26` and `20261121` are read too. Of a time with its offset, the day in Santiago. Recommended.",
    ),
    examples: ["20/11/2026", "2026-11-20"],
  },
  receipt_id: { ...text("Number of the receipt. Recommended."), examples: ["45951"] },
  receipt_rut: { ...text("RUT of who issued it. Recommended."), examples: ["76.900.001-1"] },
  doctor_rut: { ...text("RUT of the doctor, or of the doctor's company. Recommended."), examples: ["17.012.345-K"] },
  total: {
    ...text(
      "Amount of the service in pesos: digits, or thousands dots; `40,000` and `40000.00` are read too. As a JSON number, an integer. Recommended.",
    ),
    examples: ["45.952"],
  },
  expense_subtypes: {
    type: "array",
    items: { type: "string", enum: [...expenseSubtypeSchema.options] },
    description: "What kind of service it is; repeat the field for several.",
    examples: [["consultation"]],
  },
};

/** The multipart body of `POST /api/spot/gastos`. */
export const expenseForm: MediaType = {
  schema: {
    type: "object",
    required: ["uploaded_files"],
    properties: {
      uploaded_files: {
        type: "array",
        minItems: EXPENSE_FILES_MIN,
        maxItems: EXPENSE_FILES_MAX,
        items: { type: "string", contentMediaType: "application/octet-stream" },
        description: `PDF, a photo (JPEG, PNG, HEIC, WebP) or the XML of an electronic receipt (by content), at most ${EXPENSE_FILE_BYTES_MAX / 1024 / 1024} MB each. The first is the receipt, the others support it; repeat the field for each. \`uploaded_files[]\` is the same field.`,
      },
      ...expenseFields,
    },
  },
  encoding: { uploaded_files: { contentType: fileTypeSchema.options.join(", ") } },
};
