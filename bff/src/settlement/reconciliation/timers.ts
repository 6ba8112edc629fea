import type { EventHandlers } from "../../platform/outbox.ts";
import type { TimerHandlers } from "../../platform/timers/timer-worker.ts";
import { CANCEL_LOAN_TIMER } from "./cancel-loan.ts";
import { RETURN_CHARGE_TIMER } from "./return-charge.ts";
import { beginReconciling, type DailyReconciliationDependencies, RECONCILE_TIMER, runDaily } from "./run-daily.ts";
import { type ReturnChargeDependencies, sendChargeReturn } from "./send-charge-return.ts";
import { type CancelLoanDependencies, sendLoanCancellation } from "./send-loan-cancellation.ts";

export function reconciliationTimerHandlers(
  dependencies: DailyReconciliationDependencies & ReturnChargeDependencies & CancelLoanDependencies,
): TimerHandlers {
  return {
    [RECONCILE_TIMER]: (timer) => runDaily(dependencies, timer),
    [RETURN_CHARGE_TIMER]: (timer) => sendChargeReturn(dependencies, timer),
    [CANCEL_LOAN_TIMER]: (timer) => sendLoanCancellation(dependencies, timer),
  };
}

/** Begins the daily reconciliation of a provider at its first payment. */
export function handleReconciliationEvents(
  events: EventHandlers,
  dependencies: Pick<DailyReconciliationDependencies, "clock">,
): void {
  events.subscribe("order.paid", (tx, event) => beginReconciling(tx, dependencies, event));
}
