import { RECONCILED_DAYS_MAX, type ReconciliationResponse } from "../../contract/reconciliation.ts";
import { balancesOf } from "../../orders/ledger/balances.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import {
  addCalendarDays,
  type CalendarDay,
  calendarDaysBetween,
  santiagoDay,
  santiagoMoment,
} from "../../platform/santiago-time.ts";
import type { Difference } from "./compare.ts";
import { type ReconcileDependencies, reconcile } from "./reconcile.ts";

export interface ReconciliationRequest {
  readonly providerId: string;
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Reconciles a provider's days on demand; the default is yesterday and today. Throws `validation_error` for days in the
 * wrong order, or for more than 31 days.
 */
export async function readReconciliation(
  dependencies: ReconcileDependencies,
  { providerId, now, ...asked }: ReconciliationRequest,
): Promise<ReconciliationResponse> {
  const to = asked.to ?? santiagoDay(now);
  const from = asked.from ?? addCalendarDays(to, -1);
  refuseUnlessReadable(from, to);
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

function refuseUnlessReadable(from: CalendarDay, to: CalendarDay): void {
  const days = calendarDaysBetween(from, to) + 1;
  if (days < 1)
    throw new ApiError("validation_error", { errors: [{ path: "to", message: "must not be before from" }] });
  if (days > RECONCILED_DAYS_MAX) {
    const message = `must be at most ${RECONCILED_DAYS_MAX} days from from, both included`;
    throw new ApiError("validation_error", { errors: [{ path: "to", message }] });
  }
}

function differencePart({ kind, party, orderId, reference, expected, found, at }: Difference) {
  return { kind, party, order_hash: orderId, reference, expected, found, at: at.toISOString() };
}
