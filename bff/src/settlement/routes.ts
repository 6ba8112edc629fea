import * as z from "zod/mini";
import { operationsEndpoints } from "../contract/operations-endpoints.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { defineRoute, type Route } from "../platform/http/route.ts";
import { showPayout, showPayouts } from "./payout-views.ts";
import { readReconciliation } from "./read-reconciliation.ts";
import type { ReconcileDependencies } from "./reconcile.ts";
import { showStatement } from "./show-statement.ts";

const idSchema = z.uuid();

/** Payouts and statements for a partner's back office. */
function payoutRoutes({ db }: { readonly db: Database }): Route[] {
  return [
    defineRoute(operationsEndpoints.listPayouts, {
      async handle({ principal, query, now }) {
        const { from, to } = query;
        return { status: 200, body: await showPayouts(db, principal.provider.id, { from, to, now }) };
      },
    }),
    defineRoute(operationsEndpoints.readPayout, {
      async handle({ principal, params }) {
        const id = z.safeParse(idSchema, params.id?.toLowerCase());
        if (!id.success) throw new ApiError("payout_not_found");
        return { status: 200, body: await showPayout(db, { providerId: principal.provider.id, id: id.data }) };
      },
    }),
    defineRoute(operationsEndpoints.readStatement, {
      // Each request adds up all that was ever booked.
      limits: () => [{ name: "statement", key: "", isPerProvider: true, requestsMax: 60, windowSeconds: 3_600 }],
      async handle({ principal, query, now }) {
        return { status: 200, body: await showStatement(db, principal.provider, { month: query.month, now }) };
      },
    }),
  ];
}

function reconciliationRoutes(dependencies: ReconcileDependencies): Route[] {
  return [
    defineRoute(operationsEndpoints.readReconciliation, {
      // Each request fetches the lists of every gateway.
      limits: () => [{ name: "reconciliation", key: "", isPerProvider: true, requestsMax: 60, windowSeconds: 3_600 }],
      async handle({ principal, query, now }) {
        const { from, to } = query;
        const body = await readReconciliation(dependencies, { providerId: principal.provider.id, from, to, now });
        return { status: 200, body };
      },
    }),
  ];
}

/** The payouts and the reconciliation for a partner's back office. */
export function settlementRoutes(dependencies: ReconcileDependencies): Route[] {
  return [...payoutRoutes(dependencies), ...reconciliationRoutes(dependencies)];
}
