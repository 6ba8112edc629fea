import { endpoint } from "./endpoint.ts";
import { reconciliationQuerySchema, reconciliationSchema } from "./reconciliation.ts";

/** Endpoints for a partner's back office. */
export const operationsEndpoints = {
  readReconciliation: endpoint({
    method: "GET",
    path: "/api/reconciliation",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "Compare orders, ledger and the outside parties' own lists, and name each difference.",
    query: reconciliationQuerySchema,
    success: { 200: reconciliationSchema },
    errors: ["invalid_credential", "validation_error"],
  }),
};
