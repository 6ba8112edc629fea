import type { EventHandlers } from "../platform/outbox.ts";
import type { Switch } from "../platform/switches.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { ACCOUNT_CHANGED_TIMER, notifyAccountChanged } from "./payout-terms.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { netRefund, oweLender, owePayee, PAYOUT_RUN_TIMER } from "./payouts/owe-payee.ts";
import { notifyPayoutReturned, PAYOUT_RETURNED_TIMER } from "./payouts/return-payout.ts";
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

/** Dependencies of the timers and event handlers of this room. */
export type SettlementWorkDependencies = PayoutDependencies &
  DailyReconciliationDependencies &
  ReturnChargeDependencies &
  CancelLoanDependencies;

export function settlementTimerHandlers(dependencies: SettlementWorkDependencies): TimerHandlers {
  return {
    [PAYOUT_RUN_TIMER]: (timer) => runPayouts(dependencies, timer),
    [ACCOUNT_CHANGED_TIMER]: (timer) => notifyAccountChanged(dependencies, timer),
    [SEND_PAYOUT_TIMER]: (timer) => sendPayout(dependencies, timer),
    [PAYOUT_RETURNED_TIMER]: (timer) => notifyPayoutReturned(dependencies, timer),
    [RECONCILE_TIMER]: (timer) => runDaily(dependencies, timer),
    [RETURN_CHARGE_TIMER]: (timer) => sendChargeReturn(dependencies, timer),
    [CANCEL_LOAN_TIMER]: (timer) => sendLoanCancellation(dependencies, timer),
  };
}

/**
 * Adds a paid order to its payee's payouts, deducts refunds, and adds collections to the lender's payouts. A provider's
 * first payment starts its daily reconciliation.
 */
export function handleSettlementEvents(
  events: EventHandlers,
  dependencies: Pick<SettlementWorkDependencies, "clock">,
): void {
  events.subscribe("order.paid", (tx, event) => owePayee(tx, dependencies, event));
  events.subscribe("order.refunded", netRefund);
  events.subscribe("collection.captured", (tx, event) => oweLender(tx, dependencies, event));
  events.subscribe("collection.paid_otherwise", (tx, event) => oweLender(tx, dependencies, event));
  events.subscribe("order.paid", (tx, event) => beginReconciling(tx, dependencies, event));
}

/** The switch that stops each kind of timer of this room. */
export const settlementSwitches: Readonly<Record<string, Switch>> = {
  [PAYOUT_RUN_TIMER]: "payouts",
  [SEND_PAYOUT_TIMER]: "payouts",
};
