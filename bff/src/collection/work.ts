import { reduceWriteOff } from "../orders/book-entries.ts";
import { REMOVE_CARD_TIMER } from "../orders/card-removals.ts";
import { nextInquiryAt } from "../orders/payment-attempt.ts";
import { CARD_PAGE_TIMERS } from "../orders/run-registration.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import { providerNow, realMoment } from "../platform/provider.ts";
import type { Switch } from "../platform/switches.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerHandlers, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { requireAuthentication } from "./authentication/authentication-store.ts";
import { isOpen } from "./authentication/card-authentication.ts";
import { askAboutCard } from "./change-card.ts";
import { settleCardPageChange } from "./change-card-on-page.ts";
import { runCollection, settleEarlyPayment } from "./charge/run-collection.ts";
import type { CollectionKey } from "./collection-record.ts";
import {
  ANNOUNCE_TIMER,
  AUTHENTICATE_TIMER,
  CHARGE_TIMER,
  DAILY_TIMER,
  DEADLINE_TIMER,
  keyOf,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import { syncDaily } from "./daily-sync.ts";
import { announceDeadline, reachDeadline } from "./deadline.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { sendLoanReports } from "./loan-reports/send-loan-reports.ts";
import { type MoneyNotificationsDependencies, notifyPatientsOfMoney } from "./notify-patient-of-money.ts";
import { payAsked } from "./pay-early.ts";
import { removeCard, removeUnneededCards } from "./remove-cards.ts";
import { cancelIfNothingIsLeft, orderOf, startCollection } from "./start-collection.ts";

/**
 * Asks what became of an authentication that a request has left open, since its process died, its answer was lost, or
 * the patient has not come back; and does what they wanted where they are confirmed.
 */
async function settleAuthentication(dependencies: CollectionDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const authentication = await requireAuthentication(db, key, timer.key);
  const provider = await requireProvider(db, key.providerId);
  const asking = { provider, authentication, mayHaveArrived: true, isInquiry: true };
  if (authentication.purpose === "card_change") await askAboutCard(dependencies, asking);
  else await payAsked(dependencies, asking);
  const left = await requireAuthentication(db, key, timer.key);
  if (!isOpen(left)) return "done";
  return { again: realMoment(provider, nextInquiryAt(left, providerNow(provider, clock.now()))) };
}

/** Handlers for the timers of collections. */
export function collectionTimerHandlers(dependencies: CollectionDependencies): TimerHandlers {
  return {
    [ANNOUNCE_TIMER]: (timer, context) => announceDeadline(dependencies, timer, context),
    [DEADLINE_TIMER]: (timer, context) => reachDeadline(dependencies, timer, context),
    [CHARGE_TIMER]: (timer) => runCollection(dependencies, timer),
    [AUTHENTICATE_TIMER]: (timer) => settleAuthentication(dependencies, timer),
    [CARD_PAGE_TIMERS.card_change]: (timer) => settleCardPageChange(dependencies, timer),
    [REMOVE_CARD_TIMER]: (timer, context) => removeCard(dependencies, timer, context),
    [SETTLE_EARLY_TIMER]: (timer) => settleEarlyPayment(dependencies, timer),
    [REPORT_LOAN_TIMER]: (timer) => sendLoanReports(dependencies, timer),
    [DAILY_TIMER]: (timer) => syncDaily(dependencies, timer),
  };
}

/**
 * What the end of a refund leaves to do, whatever it gave back: one that failed waits for nothing any more, and what
 * others have taken off may be all that there was to charge.
 */
export async function afterRefund(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  await cancelIfNothingIsLeft(tx, dependencies, key, at);
  await removeUnneededCards(tx, dependencies, key, at);
}

/** Starts and ends collections when their orders are paid or refunded, and tells patients of charges and refunds. */
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
 * The switch that stops each kind of timer of this room: also that of a patient who is at their issuer's, because
 * settling it may make a charge.
 */
export const collectionSwitches: Readonly<Record<string, Switch>> = {
  [CHARGE_TIMER]: "charges",
  [SETTLE_EARLY_TIMER]: "charges",
  [AUTHENTICATE_TIMER]: "charges",
};
