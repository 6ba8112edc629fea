import type { EventHandlers } from "../platform/outbox.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { oweLender } from "./payouts/owe-lender.ts";
import { netRefund, owePayee, PAYOUT_RUN_TIMER } from "./payouts/owe-payee.ts";
import { ACCOUNT_CHANGED_TIMER, tellAccountChanged } from "./payouts/payee-account.ts";
import { runPayouts, SEND_PAYOUT_TIMER } from "./payouts/run-payouts.ts";
import { sendPayout } from "./payouts/send-payout.ts";
import {
  beginReconciling,
  type DailyReconciliationDependencies,
  RECONCILE_TIMER,
  runDaily,
} from "./reconciliation/run-daily.ts";
import {
  RETURN_CHARGE_TIMER,
  type ReturnChargeDependencies,
  sendChargeReturn,
} from "./reconciliation/send-charge-return.ts";
import {
  CANCEL_LOAN_TIMER,
  type CancelLoanDependencies,
  sendLoanCancellation,
} from "./reconciliation/send-loan-cancellation.ts";

export function payoutTimerHandlers(dependencies: PayoutDependencies): TimerHandlers {
  return {
    [PAYOUT_RUN_TIMER]: (timer) => runPayouts(dependencies, timer),
    [ACCOUNT_CHANGED_TIMER]: (timer) => tellAccountChanged(dependencies, timer),
    [SEND_PAYOUT_TIMER]: (timer) => sendPayout(dependencies, timer),
  };
}

/** Adds an order to its payee's payouts when it is paid, has refunds deducted, and adds what is collected to the lender's. */
export function handlePayoutEvents(events: EventHandlers, dependencies: Pick<PayoutDependencies, "clock">): void {
  events.subscribe("order.paid", (tx, event) => owePayee(tx, dependencies, event));
  events.subscribe("order.refunded", netRefund);
  events.subscribe("collection.captured", (tx, event) => oweLender(tx, dependencies, event));
  events.subscribe("collection.paid_otherwise", (tx, event) => oweLender(tx, dependencies, event));
}

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
