import { reduceWriteOff } from "../orders/book-entries.ts";
import { isRegistration } from "../orders/card-attempt.ts";
import { REMOVE_CARD_TIMER } from "../orders/card-removals.ts";
import type { FailedRefund } from "../orders/dependencies.ts";
import { CARD_ATTEMPT_TIMERS, settleCardAttempt } from "../orders/run-card-attempt.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import type { Switch } from "../platform/switches.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerHandlers, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { askAboutCard, runPageOfChange } from "./change-card.ts";
import { runCollection, settleEarlyPayment } from "./charge/run-collection.ts";
import type { CollectionKey } from "./collection.ts";
import {
  ANNOUNCE_TIMER,
  CHARGE_TIMER,
  DAILY_TIMER,
  DEADLINE_TIMER,
  keyOf,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import { recordOrdersDisputes, syncDaily } from "./daily-sync.ts";
import { announceDeadline, reachDeadline } from "./deadline.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { sendLoanReports } from "./loan-reports/send-loan-reports.ts";
import { notifyOwedAgain } from "./mandate.ts";
import { type MoneyNotificationsDependencies, notifyPatientsOfMoney } from "./notify-patient-of-money.ts";
import { payAsked } from "./pay-early.ts";
import { removeCard, removeUnneededCards } from "./remove-cards.ts";
import { cancelIfNothingIsLeft, orderOf, startCollection } from "./start-collection.ts";

/**
 * Inquires about a card attempt that a request left open, because its process died, its answer was lost, or the patient
 * has not come back. Completes the patient's request once the attempt has succeeded.
 */
async function settleCard(dependencies: CollectionDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const key = keyOf(timer);
  const provider = await requireProvider(dependencies.db, key.providerId);
  return settleCardAttempt(dependencies, { provider, key, id: timer.key }, ({ attempt, ...inquiry }) => {
    if (isRegistration(attempt)) return runPageOfChange(dependencies, { ...inquiry, attempt });
    const run = attempt.purpose === "new_card" ? askAboutCard : payAsked;
    return run(dependencies, { ...inquiry, attempt });
  });
}

/** Handlers for the timers of collections. */
export function collectionTimerHandlers(dependencies: CollectionDependencies): TimerHandlers {
  return {
    [ANNOUNCE_TIMER]: (timer, context) => announceDeadline(dependencies, timer, context),
    [DEADLINE_TIMER]: (timer, context) => reachDeadline(dependencies, timer, context),
    [CHARGE_TIMER]: (timer) => runCollection(dependencies, timer),
    [CARD_ATTEMPT_TIMERS.card_change]: (timer) => settleCard(dependencies, timer),
    [CARD_ATTEMPT_TIMERS.new_card]: (timer) => settleCard(dependencies, timer),
    [REMOVE_CARD_TIMER]: (timer, context) => removeCard(dependencies, timer, context),
    [SETTLE_EARLY_TIMER]: (timer) => settleEarlyPayment(dependencies, timer),
    [REPORT_LOAN_TIMER]: (timer) => sendLoanReports(dependencies, timer),
    [DAILY_TIMER]: (timer) => syncDaily(dependencies, timer),
  };
}

/**
 * Runs after every refund, also a failed one. Cancels the collection if nothing is left to charge, and removes unneeded
 * cards.
 */
async function afterRefund(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  await cancelIfNothingIsLeft(tx, dependencies, key, at);
  await removeUnneededCards(tx, dependencies, key, at);
}

/** Runs when a refund has ended without returning anything. */
export async function afterFailedRefund(
  tx: Transaction,
  dependencies: { readonly ids: Ids; readonly clock: Clock },
  failed: FailedRefund,
): Promise<void> {
  await afterRefund(tx, dependencies, failed, failed.at);
  await notifyOwedAgain(tx, dependencies, failed);
}

/** Runs when an order is paid: a chargeback of its charge may be known before the charge itself. */
export function afterPayment(tx: Transaction, paid: CollectionKey & { readonly at: Date }): Promise<void> {
  return recordOrdersDisputes(tx, paid, paid.at);
}

/** Starts and ends collections when their orders are paid or refunded, and notifies patients of charges and refunds. */
export function handleCollectionEvents(events: EventHandlers, dependencies: MoneyNotificationsDependencies): void {
  events.subscribe("order.paid", (tx, event) => startCollection(tx, dependencies, event));
  events.subscribe("order.refunded", async (tx, event) => {
    const order = { ...orderOf(event), at: event.createdAt };
    await reduceWriteOff(tx, dependencies.ids, order, event.id);
    await afterRefund(tx, dependencies, order, event.createdAt);
  });
  events.subscribe("order.cancelled", (tx, event) =>
    removeUnneededCards(tx, dependencies, orderOf(event), event.createdAt),
  );
  notifyPatientsOfMoney(events, dependencies);
}

/**
 * The switch that stops each kind of timer of this room. It includes the timer of a patient at their issuer's
 * challenge, because settling it may make a charge.
 */
export const collectionSwitches: Readonly<Record<string, Switch>> = {
  [CHARGE_TIMER]: "charges",
  [SETTLE_EARLY_TIMER]: "charges",
  [CARD_ATTEMPT_TIMERS.new_card]: "charges",
};
