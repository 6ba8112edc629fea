import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import type { Period } from "../orders/books.ts";
import { withdrawRejectedDocuments } from "../orders/owe-document.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { bookSettlements } from "./booked-settlements.ts";
import { type ReconcileDependencies, type Reconciled, reconcile } from "./reconcile.ts";
import { keepRun } from "./reconciliation/reconciliation-store.ts";

export interface BookAndReconcileDependencies extends ReconcileDependencies {
  readonly ids: Ids;
}

/**
 * Books the card processor's settlements of a period, and then reconciles it. Tax documents that were rejected after
 * they were issued are due again. If the settlements could not be booked,
 * the period does not count as compared, so that a later run books them.
 */
export async function bookAndReconcile(
  dependencies: BookAndReconcileDependencies,
  period: Period,
  now: Date,
  others: readonly OrderId[] = [],
): Promise<Reconciled> {
  const isBooked = await bookAvailable(dependencies, period, now);
  const found = await reconcile(dependencies, period, now, others);
  if (found.rejected.length > 0)
    await inTransaction(dependencies.db, (tx) => withdrawRejectedDocuments(tx, period.providerId, found.rejected));
  return isBooked ? found : { ...found, unavailable: [...new Set([...found.unavailable, "card_processor" as const])] };
}

/** Returns false if the list was unavailable. */
async function bookAvailable(dependencies: BookAndReconcileDependencies, period: Period, now: Date): Promise<boolean> {
  try {
    await bookSettlements(dependencies, { ...period, to: period.to < now ? period.to : now }, now);
    return true;
  } catch (error) {
    if (!(error instanceof GatewayUnavailable)) throw error;
    return false;
  }
}

/**
 * Books settlements and compares all of a provider's books since a moment, in the provider's time. Stores the
 * differences as exceptions.
 */
export async function reconcileSince(
  dependencies: BookAndReconcileDependencies,
  { providerId, from, now }: { readonly providerId: string; readonly from: Date; readonly now: Date },
): Promise<Reconciled> {
  // The period includes the current millisecond.
  const period = { from, to: new Date(now.getTime() + 1) };
  const found = await bookAndReconcile(dependencies, { providerId, ...period }, now);
  const { differences, unavailable } = found;
  const run = { providerId, day: santiagoDay(now), at: now, periods: [period], differences, unavailable };
  await inTransaction(dependencies.db, (tx) => keepRun(tx, { ...run, unresolved: [...found.unresolved] }));
  return found;
}
