import type { Route } from "../platform/http/route.ts";
import { payoutRoutes } from "./payouts/routes.ts";
import type { ReconcileDependencies } from "./reconciliation/reconcile.ts";
import { reconciliationRoutes } from "./reconciliation/routes.ts";

/** What a partner's back office reads of money: its payouts, and the reconciliation. */
export function settlementRoutes(dependencies: ReconcileDependencies): Route[] {
  return [...payoutRoutes(dependencies), ...reconciliationRoutes(dependencies)];
}
