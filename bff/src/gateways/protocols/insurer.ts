import * as z from "zod/mini";
import { claimFileTypeSchema } from "../../contract/expenses.ts";
import {
  type Insurer,
  type InsurerChoice,
  insurerChoiceSchema,
  isSupportedInsurer,
} from "../../contract/onboarding.ts";
import { sealedValueSchema } from "../../contract/orders.ts";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../contract/vocabulary/identifiers.ts";
import { personRutSchema } from "../../contract/vocabulary/rut.ts";
import { sealingKeySchema } from "../../contract/widget-tokens.ts";
import { callOperation, momentSchema, readOperation } from "../connector/protocol.ts";

const idSchema = z.string().check(z.minLength(1), z.maxLength(128));

export const filingSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("filed"), claimId: idSchema }),
  z.object({ outcome: z.literal("queued") }),
  z.object({ outcome: z.literal("access_missing") }),
  z.object({ outcome: z.literal("access_blocked") }),
  z.object({ outcome: z.literal("portal_down") }),
  z.object({ outcome: z.literal("held"), missing: z.array(z.string().check(z.maxLength(100))) }),
]);

const claimSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("waiting") }),
  z.object({ outcome: z.literal("approved"), reimbursed: clpSchema.check(z.gte(0)), at: momentSchema }),
  z.object({
    outcome: z.literal("rejected"),
    reason: z.string().check(z.maxLength(500), z.overwrite(withoutCardNumber)),
    code: z.optional(z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  }),
  z.object({ outcome: z.literal("access_blocked") }),
  z.object({ outcome: z.literal("portal_down") }),
]);

const insurerSchema = z.pipe(
  insurerChoiceSchema,
  z.transform((choice: InsurerChoice, context): Insurer => {
    if (isSupportedInsurer(choice)) return choice;
    context.issues.push({ code: "custom", input: choice, message: "must be an isapre" });
    return z.NEVER;
  }),
);

/** A document is sent inside the JSON, as base64. */
const documentSchema = z.object({
  name: z.string().check(z.maxLength(255)),
  type: claimFileTypeSchema,
  content: z.base64(),
});
const CLAIM_DOCUMENTS_MAX = 10;

/** The insurer connector's operations in the connector protocol. */
export const insurerProtocol = {
  sealingKey: readOperation({ path: "/insurer/sealing-key", input: z.object({}), answer: sealingKeySchema }),
  fileClaim: callOperation({
    path: "/insurer/file-claim",
    input: z.object({
      insurer: insurerSchema,
      rut: personRutSchema,
      orderHash: z.nullable(orderHashSchema),
      total: z.nullable(clpSchema),
      sealedAccess: z.nullable(sealedValueSchema),
      documents: z.array(documentSchema).check(z.maxLength(CLAIM_DOCUMENTS_MAX)),
    }),
    outcome: filingSchema,
  }),
  claim: callOperation({
    path: "/insurer/claim",
    isInquired: false,
    input: z.object({ claimId: idSchema }),
    outcome: claimSchema,
  }),
};
