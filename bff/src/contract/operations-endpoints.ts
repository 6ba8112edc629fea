import { endpoint } from "./endpoint.ts";
import { reconciliationQuerySchema, reconciliationSchema } from "./reconciliation.ts";

/** What a partner's back office asks for (decisions, sections 2 and 8). */
export const operationsEndpoints = {
  readReconciliation: endpoint({
    method: "GET",
    path: "/api/reconciliation",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "Compare orders, ledger and the outside parties' own lists, and name each difference.",
    source: "decisions 8",
    query: reconciliationQuerySchema,
    success: { 200: reconciliationSchema },
    errors: ["invalid_credential", "validation_error"],
  }),
};
