import type { ReconciledParty } from "../contract/reconciliation.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import type { Period } from "../orders/books.ts";
import { withdrawRejectedDocuments } from "../orders/owe-document.ts";
import type { Clock } from "../platform/clock.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { bookSettlements } from "./booked-settlements.ts";
import { bookReturnedPayouts } from "./payouts/return-payout.ts";
import { type ReconcileDependencies, type Reconciled, reconcile } from "./reconcile.ts";
import { keepRun } from "./reconciliation/reconciliation-store.ts";

export interface BookAndReconcileDependencies extends ReconcileDependencies {
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * Books the card processor's settlements of a period and the payouts that came back in it, and then reconciles it. Tax
 * documents that were rejected after they were issued are due again. If a list was unavailable, the period does not
 * count as compared, so that a later run books what it has.
 */
export async function bookAndReconcile(
  dependencies: BookAndReconcileDependencies,
  period: Period,
  now: Date,
  others: readonly OrderId[] = [],
): Promise<Reconciled> {
  const until = { ...period, to: period.to < now ? period.to : now };
  const unbooked = [
    ...(await ifUnavailable("card_processor", () => bookSettlements(dependencies, until, now))),
    ...(await ifUnavailable("bank", () => bookReturnedPayouts(dependencies, until, now))),
  ];
  const found = await reconcile(dependencies, period, now, others);
  if (found.rejected.length > 0)
    await inTransaction(dependencies.db, (tx) => withdrawRejectedDocuments(tx, period.providerId, found.rejected));
  return { ...found, unavailable: [...new Set([...found.unavailable, ...unbooked])] };
}

/** The party whose list was unavailable, if it was. */
async function ifUnavailable(party: ReconciledParty, book: () => Promise<void>): Promise<ReconciledParty[]> {
  try {
    await book();
    return [];
  } catch (error) {
    if (!(error instanceof GatewayUnavailable)) throw error;
    return [party];
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
