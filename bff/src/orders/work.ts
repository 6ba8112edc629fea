import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { timerOutcomeOfLeased } from "../gateways/run-call.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { leaseFrom } from "../platform/lease.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { purgeBefore } from "../platform/purge.ts";
import type { Switch } from "../platform/switches.ts";
import { readOrderId } from "../platform/timers/order-payload.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerHandlers, TimerOutcome } from "../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { IDENTITY_WINDOW_MS } from "./identity-tries.ts";
import { EXPIRE_ORDER_TIMER, expireOrder } from "./lifecycle/expire-order.ts";
import { settleCardPage } from "./open-card-page.ts";
import { aboutOrder, findOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { ISSUE_DOCUMENT_TIMER } from "./owe-document.ts";
import { type RunPaymentDependencies, runPayment } from "./pay-order.ts";
import { notifyReceipt, type ReceiptEventsDependencies } from "./payments/notify-receipt.ts";
import { hasEnded, nextInquiryAt, SETTLE_PAYMENT_TIMER } from "./payments/payment-attempt.ts";
import { claimAttempt } from "./payments/payment-store.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { settleRefund } from "./refunds/settle-refund.ts";
import { CARD_ATTEMPT_TIMERS } from "./run-card-attempt.ts";
import { deleteAsked, readCardOfOrder, writeSaving } from "./saved-cards/saved-card-store.ts";
import { settleSavedCard } from "./saved-cards/settle-saved-card.ts";
import { SETTLE_SAVED_CARD_TIMER, settlingTimer } from "./saved-cards.ts";
import { issueDocuments } from "./tax-documents/issue-documents.ts";

/**
 * Resumes an attempt that a request left unfinished. Begins with an inquiry, because the call of the attempt's state
 * may have been made. `pay-order.ts` sets the first time; `nextInquiryAt` the delays until the attempt has ended. While
 * a request holds the attempt, checks again soon.
 */
async function settlePayment(
  dependencies: RunPaymentDependencies & Pick<OrdersDependencies, "findProvider">,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, ids, connectors, findProvider } = dependencies;
  const provider = await findProvider(timer.providerId);
  const key = { providerId: timer.providerId, orderId: readOrderId(timer.payload), attemptId: timer.key };
  const lease = leaseFrom(clock.now(), ids.uuid());
  const claim = await claimAttempt(db, key, lease, { connectors, realNow: clock.now() });
  if (!("attempt" in claim)) return timerOutcomeOfLeased(claim.busyUntil, clock.now());
  const now = () => providerNow(provider, clock.now());
  const { attempt } = await runPayment(dependencies, {
    attempt: claim.attempt,
    now,
    leaseId: lease.id,
    mayHaveArrived: true,
    endTimer: (tx) => context.finish(tx),
  });
  if (hasEnded(attempt.state)) return "done";
  return { again: realMoment(provider, nextInquiryAt(attempt, now())) };
}

/**
 * Handlers for the timers of orders: payments and refunds with an unknown outcome, due tax documents, saved cards,
 * cards given on the processor's page, and the expiry of unpaid orders.
 */
export function orderTimerHandlers(dependencies: OrdersDependencies): TimerHandlers {
  return {
    [SETTLE_PAYMENT_TIMER]: (timer, context) => settlePayment(dependencies, timer, context),
    [SETTLE_REFUND_TIMER]: (timer, context) => settleRefund(dependencies, timer, context),
    [ISSUE_DOCUMENT_TIMER]: (timer) => issueDocuments(dependencies, timer),
    [SETTLE_SAVED_CARD_TIMER]: (timer) => settleSavedCard(dependencies, timer),
    [CARD_ATTEMPT_TIMERS.payment]: (timer) => settleCardPage(dependencies, timer),
    [EXPIRE_ORDER_TIMER]: (timer, context) => expireOrder(dependencies, timer, context),
  };
}

/** Longer than any attempt counts, in real time and in any provider's time. */
export const CHECKS_KEPT_MS = 24 * IDENTITY_WINDOW_MS;

/**
 * Deletes checks that no longer count, because their RUT hashes would otherwise remain after an erasure. The order
 * itself records whether and when its identity was validated. Returns the number of deleted rows.
 */
export function purgeIdentityChecks({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - CHECKS_KEPT_MS);
  return purgeBefore(db, { table: "identity_checks", column: "asked_at", before });
}

interface SavedCardEventsDependencies extends NotifyPatientDependencies {
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
}

/**
 * Sends patients the receipt of their payment. Saves the card of a paid order if its patient asked for it, and notifies
 * them of a saved card's first use at a clinic.
 */
export function handleOrderEvents(
  events: EventHandlers,
  dependencies: SavedCardEventsDependencies & ReceiptEventsDependencies,
): void {
  events.subscribe("order.paid", (tx, event) => notifyReceipt(dependencies, tx, event));
  events.subscribe("order.paid", async (tx, event) => {
    const order = await orderOf(tx, event);
    if (order?.card == null) return;
    const paid = { ...order, cardId: order.card.id, at: event.createdAt };
    const saving = await writeSaving(tx, paid);
    if (saving !== null) await scheduleTimer(tx, settlingTimer(saving, dependencies.clock.now()));
    await notifyFirstUse(dependencies, tx, paid);
  });
  for (const end of ["order.cancelled", "order.failed"] as const)
    events.subscribe(end, async (tx, event) => {
      const order = await orderOf(tx, event);
      if (order !== null) await deleteAsked(tx, order);
    });
}

async function orderOf(tx: Transaction, { providerId, orderId }: DomainEvent): Promise<OrderRecord | null> {
  return orderId === null || !isOrderId(orderId) ? null : findOrder(tx, { providerId, orderId });
}

/** The cause names the card. Causes are unique per provider, so the patient is notified once per clinic. */
async function notifyFirstUse(
  dependencies: SavedCardEventsDependencies,
  tx: Transaction,
  paid: OrderRecord & { readonly cardId: string },
): Promise<void> {
  const card = await readCardOfOrder(tx, paid);
  if (card === null || card.providerId === paid.providerId) return;
  const provider = await dependencies.findProvider(tx, paid.providerId);
  const patient = await findBeneficiaryById(tx, card.beneficiaryId);
  if (provider === null || patient === null) return;
  const about = await aboutOrder(tx, provider, paid);
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause: `saved_card_used:${card.id}`,
    to: patient.email,
    rut: patient.rut,
    orderId: paid.orderId,
    beneficiaryId: patient.id,
    notification: {
      kind: "saved_card_used",
      firstName: patient.firstName,
      clinic: about.clinic,
      cardEnding: card.last4,
    },
  });
}

/**
 * The switch that stops each kind of timer of this room. A payment with an unknown outcome waits, because settling it
 * may make a charge.
 */
export const orderSwitches: Readonly<Record<string, Switch>> = {
  [SETTLE_PAYMENT_TIMER]: "charges",
};
