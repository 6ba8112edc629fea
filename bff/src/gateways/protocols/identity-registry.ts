import * as z from "zod/mini";
import { documentTypeSchema } from "../../contract/orders.ts";
import { type DocumentSerial, readDocumentSerial } from "../../contract/vocabulary/document-serial.ts";
import { personRutSchema } from "../../contract/vocabulary/rut.ts";
import { readOperation } from "../connector/protocol.ts";

/**
 * Any letters and digits: the exact format is a setting of the service, and which serials exist is known only to the
 * registry.
 */
const serialSchema = z.pipe(
  z.string().check(z.maxLength(32)),
  z.transform((text: string, context): DocumentSerial => {
    const serial = readDocumentSerial(text, "^[A-Z0-9]+$");
    if (serial !== null) return serial;
    context.issues.push({ code: "custom", input: "", message: "must be a serial" });
    return z.NEVER;
  }),
);

/** The identity registry's one operation in the connector protocol. */
export const identityRegistryProtocol = {
  check: readOperation({
    path: "/identity-registry/check",
    input: z.object({
      providerId: z.string(),
      rut: personRutSchema,
      serial: serialSchema,
      documentType: documentTypeSchema,
    }),
    answer: z.object({
      outcome: z.enum(["match", "no_match", "document_not_valid", "unavailable"]),
      isUnderAge: z.optional(z.boolean()),
    }),
  }),
};
