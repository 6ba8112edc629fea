import { RECONCILED_DAYS_MAX, type ReconciliationResponse } from "../contract/reconciliation.ts";
import { balancesOf } from "../orders/book-reads.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Environment } from "../platform/provider.ts";
import { addCalendarDays, santiagoMoment } from "../platform/santiago-time.ts";
import { selectFirstDue } from "../platform/timers/timer-store.ts";
import { providerClocks } from "../tenants/providers.ts";
import type { Difference } from "./compare-lines.ts";
import { type DaysAsked, readDays } from "./read-days.ts";
import { type ReconcileDependencies, reconcile } from "./reconcile.ts";
import { selectReconciliationAge } from "./reconciliation/reconciliation-store.ts";
import { RECONCILE_TIMER } from "./reconciliation/run-daily.ts";

interface ReconciliationRequest extends DaysAsked {
  readonly providerId: string;
}

/**
 * Reconciles a provider's days on demand, by default yesterday and today. Throws `validation_error` for days in the
 * wrong order, or for more than 31 days.
 */
export async function readReconciliation(
  dependencies: ReconcileDependencies,
  { providerId, now, ...requested }: ReconciliationRequest,
): Promise<ReconciliationResponse> {
  const { from, to } = readDays({ ...requested, now }, { daysBefore: 1, daysMax: RECONCILED_DAYS_MAX });
  const period = { providerId, from: santiagoMoment(from), to: santiagoMoment(addCalendarDays(to, 1)) };
  const { differences, unavailable, compared } = await reconcile(dependencies, period, now);
  return {
    from,
    to,
    checked_at: now.toISOString(),
    agrees: differences.length === 0 && unavailable.length === 0,
    unavailable: [...unavailable],
    compared: {
      orders: compared.orders,
      card_movements: compared.cardMovements,
      loans: compared.loans,
      bank_transfers: compared.bankTransfers,
      ledger_transfers: compared.ledgerTransfers,
    },
    balances: await balancesOf(dependencies.db, providerId),
    differences: differences.map(differencePart),
  };
}

function differencePart({ kind, party, orderId, reference, expected, found, at }: Difference) {
  return { kind, party, order_hash: orderId, reference, expected, found, at: at.toISOString() };
}

/**
 * Seconds since the last reconciliation of the provider that has waited longest; null if no provider was ever
 * reconciled.
 */
export function reconciliationAge({
  db,
  clock,
  environment,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly environment: Environment;
}): Promise<number | null> {
  return selectReconciliationAge(db, providerClocks(environment, clock.now()));
}

/** When the first daily reconciliation is due, in real time; null if none is planned, because no order was paid. */
export function firstReconciliationAt(db: Database): Promise<Date | null> {
  return selectFirstDue(db, RECONCILE_TIMER);
}
