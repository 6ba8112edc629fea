import * as z from "zod/mini";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../contract/vocabulary/identifiers.ts";
import { personRutSchema } from "../../contract/vocabulary/rut.ts";
import { callOperation, pageSchema, rangeSchema, readOperation } from "../connector/protocol.ts";
import { LOAN_ENDS } from "../financing-provider.ts";

const idSchema = z.string().check(z.minLength(1), z.maxLength(128));
/** At least one: the law requires a refusal to give its reasons. */
const reasonsSchema = z
  .array(z.string().check(z.minLength(1), z.maxLength(500), z.overwrite(withoutCardNumber)))
  .check(z.minLength(1), z.maxLength(20));

export const loanOutcomeSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("authorised"), loanId: idSchema }),
  z.object({ outcome: z.literal("under_review"), loanId: idSchema }),
  z.object({ outcome: z.literal("refused"), reasons: reasonsSchema }),
]);

export const confirmationSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("confirmed") }),
  z.object({ outcome: z.literal("refused"), reasons: reasonsSchema }),
]);

export const reductionSchema = z.object({ outcome: z.literal("reduced"), remaining: clpSchema });

export const reportSchema = z.object({ outcome: z.literal("noted") });

const loanSchema = z.object({
  id: idSchema,
  orderHash: orderHashSchema,
  idempotencyKey: z.string(),
  amount: clpSchema,
  status: z.enum(["under_review", "authorised", "confirmed", "refused", "cancelled", "settled"]),
});

/** The financing provider's operations in the connector protocol. */
export const financingProviderProtocol = {
  authoriseLoan: callOperation({
    path: "/financing-provider/authorise-loan",
    input: z.object({ rut: personRutSchema, amount: clpSchema, orderHash: orderHashSchema }),
    outcome: loanOutcomeSchema,
  }),
  confirmLoan: callOperation({
    path: "/financing-provider/confirm-loan",
    input: z.object({ loanId: idSchema }),
    outcome: confirmationSchema,
  }),
  reduceLoan: callOperation({
    path: "/financing-provider/reduce-loan",
    input: z.object({ loanId: idSchema, amount: clpSchema }),
    outcome: reductionSchema,
  }),
  reportLoan: callOperation({
    path: "/financing-provider/report-loan",
    input: z.object({ loanId: idSchema, end: z.enum(LOAN_ENDS), amount: clpSchema }),
    outcome: reportSchema,
  }),
  loans: readOperation({ path: "/financing-provider/loans", input: rangeSchema, answer: pageSchema(loanSchema) }),
};
