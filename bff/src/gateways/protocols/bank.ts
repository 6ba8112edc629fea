import * as z from "zod/mini";
import { bankAccountSchema } from "../../contract/bank-account.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { callOperation, momentSchema, pageSchema, rangeSchema, readOperation } from "../connector/protocol.ts";

const idSchema = z.string().check(z.minLength(1), z.maxLength(128));
const referenceSchema = z.string().check(z.minLength(1), z.maxLength(35));

export const transferOutcomeSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("sent"), transferId: idSchema, amount: clpSchema }),
  z.object({ outcome: z.literal("refused"), reason: z.enum(["account_unknown", "account_closed", "holder_differs"]) }),
]);

export const bankTransferSchema = z.object({
  id: idSchema,
  idempotencyKey: z.string(),
  reference: referenceSchema,
  amount: clpSchema,
  accountEnding: z.string().check(z.regex(/^\d{4}$/)),
  at: momentSchema,
});

/** The bank's operations in the connector protocol. */
export const bankProtocol = {
  transfer: callOperation({
    path: "/bank/transfer",
    input: z.object({ account: bankAccountSchema, amount: clpSchema, reference: referenceSchema }),
    outcome: transferOutcomeSchema,
  }),
  transfers: readOperation({ path: "/bank/transfers", input: rangeSchema, answer: pageSchema(bankTransferSchema) }),
};
