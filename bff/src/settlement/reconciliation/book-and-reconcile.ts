import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { GatewayUnavailable } from "../../gateways/gateway-unavailable.ts";
import type { Period } from "../../orders/ledger/books.ts";
import type { Ids } from "../../platform/ids.ts";
import { bookSettlements } from "../card-settlements/book-settlements.ts";
import { type ReconcileDependencies, type Reconciled, reconcile } from "./reconcile.ts";

export interface BookAndReconcileDependencies extends ReconcileDependencies {
  readonly ids: Ids;
}

/**
 * Books what the card processor has settled in a period, and then reconciles it. A period counts as compared only if its
 * settlements could be booked; otherwise they would never be.
 */
export async function bookAndReconcile(
  dependencies: BookAndReconcileDependencies,
  period: Period,
  now: Date,
  others: readonly OrderId[] = [],
): Promise<Reconciled> {
  const isBooked = await bookAvailable(dependencies, period, now);
  const found = await reconcile(dependencies, period, now, others);
  return isBooked ? found : { ...found, unavailable: [...new Set([...found.unavailable, "card_processor" as const])] };
}

/** Returns false if there was no list. */
async function bookAvailable(dependencies: BookAndReconcileDependencies, period: Period, now: Date): Promise<boolean> {
  try {
    await bookSettlements(dependencies, { ...period, to: period.to < now ? period.to : now }, now);
    return true;
  } catch (error) {
    if (!(error instanceof GatewayUnavailable)) throw error;
    return false;
  }
}
