import { LINK_ACCESS_MINUTES } from "../../contract/terms.ts";
import type { FieldDescriptions, JsonSchema } from "../openapi-document.ts";

export interface FieldNote {
  readonly description: string;
  /** The field is required, although the schema allows its absence in order to answer it with a specific code. */
  readonly required?: true;
  /** A value, as callers send it. */
  readonly example?: unknown;
  /** The intended form, if the schema is looser in order to answer bad values with a specific code. */
  readonly wireForm?: JsonSchema;
}

export interface SchemaNote {
  readonly description?: string;
  /** Replaces the whole converted schema if only a parser knows its real form. */
  readonly wireForm?: JsonSchema;
  /** By field name. A path such as `customer.rut` leads into objects, list items and alternatives. */
  readonly fields?: Readonly<Record<string, string | FieldNote>>;
}

/** By the name of the schema. A schema without a name is named after its operation: `createSandboxKeys request`. */
export type SchemaNotes = Readonly<Record<string, SchemaNote>>;

/** An example of a schema, made of the examples of its fields. */
export function exampleOf({ fields = {} }: SchemaNote): unknown {
  const example: Record<string, unknown> = {};
  for (const [path, note] of Object.entries(fields)) {
    if (typeof note === "string" || note.example === undefined) continue;
    const [field = "", inner] = path.split(".");
    example[field] = inner === undefined ? note.example : { ...Object(example[field]), [inner]: note.example };
  }
  return example;
}

/**
 * The shared fields of the partners' document. A note of the schema itself takes precedence. A field in neither
 * inherits the description of the schema that it refers to.
 */
export const sharedFields: FieldDescriptions = {
  access: `The \`access\` that \`POST /api/spot/patient/code/verify\` returned. It expires after ${LINK_ACCESS_MINUTES} minutes.`,
  base64: "The bytes of the file, in base64.",
  code: "Error code from the closed list. Match on it, not on the text.",
  commission: "Commission in Chilean pesos, VAT included.",
  consents: "The consents that the patient gave on this screen. Empty if the screen asked for none.",
  created_at: "When it was created. ISO 8601, UTC.",
  currency: "ISO 4217 code. Always `CLP`; amounts have no decimals.",
  document_serial: "Serial number of the identity document.",
  event_id: "Id of the event. A replay sends the same id again.",
  exp_month: "Month in which the card expires, 1 to 12. Absent if the card processor does not report it.",
  exp_year: "Year in which the card expires, four digits. Absent if the card processor does not report it.",
  first_name: "Given names.",
  id: "Id, assigned by the service.",
  inquire: "Set `true` to read the outcome of the previous call without starting anything new.",
  last4: "Last four digits of the card number.",
  last_name: "All surnames.",
  locale: "Language of the texts.",
  logo_url: "HTTPS URL of the logo.",
  order_hash: "The `hash` of the order.",
  order_token: "The `hash` of the order.",
  quantity: "Number of units on this line.",
  reference: "Your own id for the order, exactly as you sent it.",
  request_id: "Id of the request, as in the `X-Request-Id` header. Quote it to support.",
  resend_after: "Earliest time at which another code can be requested. ISO 8601, UTC.",
  retry_after_seconds: "Seconds to wait before the next attempt.",
  sent_at: "When it was sent. ISO 8601, UTC.",
  text_sha256:
    "SHA-256 of the text's wording (UTF-8), in lower-case hexadecimal. Amounts and days from the quote are not part of it.",
  text_version: "Version of the text, as in the session's `consents`.",
  updated_at: "When it last changed. ISO 8601, UTC.",
  widget_token: "The widget token that opened the page. A UUID.",
};
