import { endpoint } from "./endpoint.ts";
import { payoutsQuerySchema, payoutsSchema, payoutWithItemsSchema } from "./payouts.ts";
import { reconciliationQuerySchema, reconciliationSchema } from "./reconciliation.ts";
import { STATEMENT_MOVEMENTS_MAX, statementQuerySchema, statementSchema } from "./statement.ts";

/** Endpoints for a partner's back office. */
export const operationsEndpoints = {
  readReconciliation: endpoint({
    method: "GET",
    path: "/api/reconciliation",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "Reconcile a range of days.",
    description: "Compares orders, ledger and the lists of the outside parties, and returns each difference.",
    query: reconciliationQuerySchema,
    success: { 200: reconciliationSchema },
    errors: ["invalid_credential", "validation_error"],
  }),
  listPayouts: endpoint({
    method: "GET",
    path: "/api/payouts",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "List payouts.",
    description: "Returns the payouts to you and your centres in a range of days, oldest first.",
    query: payoutsQuerySchema,
    success: { 200: payoutsSchema },
    errors: ["invalid_credential", "validation_error"],
  }),
  readPayout: endpoint({
    method: "GET",
    path: "/api/payouts/{id}",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "Read a payout.",
    description: "Returns a payout with each order's part of it.",
    success: { 200: payoutWithItemsSchema },
    errors: ["invalid_credential", "payout_not_found"],
  }),
  readStatement: endpoint({
    method: "GET",
    path: "/api/statement",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "Read a month's statement.",
    description: `Returns what is owed to you and to each of your centres: the balance at the start of a month, each movement with your own references, and the balance at its end, or now. Answers 422 \`validation_error\` for a month of more than ${STATEMENT_MOVEMENTS_MAX.toLocaleString("en")} movements: ask us for its file.`,
    query: statementQuerySchema,
    success: { 200: statementSchema },
    errors: ["invalid_credential", "validation_error"],
  }),
};
