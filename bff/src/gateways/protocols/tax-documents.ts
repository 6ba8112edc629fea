import * as z from "zod/mini";
import { calendarDaySchema } from "../../contract/vocabulary/calendar-day.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../contract/vocabulary/identifiers.ts";
import { rutSchema } from "../../contract/vocabulary/rut.ts";
import { callOperation, momentSchema, pageSchema, rangeSchema, readOperation } from "../connector/protocol.ts";

const numberSchema = z.string().check(z.regex(/^\d{1,20}$/));
const kindSchema = z.enum(["boleta", "credit_note"]);

export const documentOutcomeSchema = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("issued"),
    number: numberSchema,
    url: z.url({ protocol: /^https?$/ }).check(z.maxLength(2_000)),
  }),
  z.object({
    outcome: z.literal("refused"),
    reason: z.enum(["issuer_not_authorised", "no_numbers_left", "receiver_refused"]),
  }),
  z.object({ outcome: z.literal("rejected"), number: numberSchema }),
]);

export const issuedDocumentSchema = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  idempotencyKey: z.string(),
  kind: kindSchema,
  number: numberSchema,
  amount: clpSchema,
  at: momentSchema,
  rejected: z.optional(z.boolean()),
});

/** The tax document issuer's operations, in the connector protocol. */
export const taxDocumentsProtocol = {
  issue: callOperation({
    path: "/tax-documents/issue",
    input: z.object({
      kind: kindSchema,
      issuer: z.object({ name: z.string().check(z.minLength(1), z.maxLength(255)), rut: rutSchema }),
      receiverRut: rutSchema,
      receiverName: z.optional(z.string().check(z.minLength(1), z.maxLength(511))),
      day: calendarDaySchema,
      net: clpSchema,
      vat: clpSchema,
      exempt: z.optional(clpSchema),
      corrects: z.nullable(numberSchema),
      orderHash: orderHashSchema,
    }),
    outcome: documentOutcomeSchema,
  }),
  documents: readOperation({
    path: "/tax-documents/documents",
    input: rangeSchema,
    answer: pageSchema(issuedDocumentSchema),
  }),
};
