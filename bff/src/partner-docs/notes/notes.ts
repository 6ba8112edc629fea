import { checkoutNotes } from "./checkout.ts";
import { errorNotes } from "./errors.ts";
import { operationsNotes } from "./operations.ts";
import { orderNotes } from "./orders.ts";
import { partnerCallNotes } from "./partner-calls.ts";
import { patientNotes } from "./patients.ts";
import { quoteNotes } from "./quotes.ts";
import { sandboxNotes } from "./sandbox.ts";
import type { SchemaNotes } from "./schema-note.ts";
import { valueNotes } from "./values.ts";
import { webhookNotes } from "./webhooks.ts";

/**
 * Descriptions of schemas and fields, and the real forms of values that a parser checks rather than the schema. They
 * are separate from the contract, because the browser loads the contract. A note on an unknown schema or field is an
 * error.
 */
export const schemaNotes: SchemaNotes = {
  ...valueNotes,
  ...errorNotes,
  ...orderNotes,
  ...quoteNotes,
  ...checkoutNotes,
  ...patientNotes,
  ...partnerCallNotes,
  ...operationsNotes,
  ...webhookNotes,
  ...sandboxNotes,
};
