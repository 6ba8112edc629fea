import { operationsEndpoints } from "../../contract/operations-endpoints.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";
import { readReconciliation } from "./read-reconciliation.ts";
import type { ReconcileDependencies } from "./reconcile.ts";

export function reconciliationRoutes(dependencies: ReconcileDependencies): Route[] {
  return [
    defineRoute(operationsEndpoints.readReconciliation, {
      // Each request asks every gateway for its lists.
      limits: () => [{ name: "reconciliation", key: "", isPerProvider: true, requestsMax: 60, windowSeconds: 3_600 }],
      async handle({ principal, query, now }) {
        const { from, to } = query;
        const body = await readReconciliation(dependencies, { providerId: principal.provider.id, from, to, now });
        return { status: 200, body };
      },
    }),
  ];
}
