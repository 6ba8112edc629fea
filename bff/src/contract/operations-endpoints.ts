import { endpoint } from "./endpoint.ts";
import { payoutsQuerySchema, payoutsSchema, payoutWithItemsSchema } from "./payouts.ts";
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
  listPayouts: endpoint({
    method: "GET",
    path: "/api/payouts",
    family: "spot",
    caller: "partner",
    credentials: ["secret_key"],
    summary: "What you and your centres were paid, oldest first.",
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
    summary: "A payout, with what of it belongs to which order.",
    success: { 200: payoutWithItemsSchema },
    errors: ["invalid_credential", "payout_not_found"],
  }),
};
