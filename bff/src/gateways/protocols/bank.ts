import * as z from "zod/mini";
import { bankAccountSchema } from "../../contract/bank-account.ts";
import { ACCOUNT_REFUSALS, BANK_CODES, PASSING_REFUSALS } from "../../contract/vocabulary/banks.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { callOperation, momentSchema, pageSchema, rangeSchema, readOperation } from "../connector/protocol.ts";

const idSchema = z.string().check(z.minLength(1), z.maxLength(128));
const referenceSchema = z.string().check(z.minLength(1), z.maxLength(35));
const reasonSchema = z.enum([...ACCOUNT_REFUSALS, ...PASSING_REFUSALS]);

export const transferOutcomeSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("sent"), transferId: idSchema, amount: clpSchema }),
  z.object({ outcome: z.literal("refused"), reason: reasonSchema }),
  z.object({ outcome: z.literal("pending"), transferId: idSchema, endsBy: momentSchema }),
  z.object({
    outcome: z.literal("returned"),
    transferId: idSchema,
    amount: clpSchema,
    reason: reasonSchema,
    returnedAt: momentSchema,
  }),
]);

export const bankTransferSchema = z.object({
  id: idSchema,
  idempotencyKey: z.string(),
  kind: z.optional(z.enum(["transfer", "return"])),
  reason: z.optional(reasonSchema),
  reference: referenceSchema,
  amount: clpSchema,
  accountEnding: z.string().check(z.regex(/^\d{4}$/)),
  at: momentSchema,
});

/** The bank's operations in the connector protocol. */
export const bankProtocol = {
  transfer: callOperation({
    path: "/bank/transfer",
    input: z.object({
      account: bankAccountSchema,
      bankCode: z.optional(z.enum(BANK_CODES)),
      amount: clpSchema,
      reference: referenceSchema,
    }),
    outcome: transferOutcomeSchema,
  }),
  transfers: readOperation({ path: "/bank/transfers", input: rangeSchema, answer: pageSchema(bankTransferSchema) }),
};
