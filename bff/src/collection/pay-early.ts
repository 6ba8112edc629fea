import { causeOf } from "../contract/errors.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import { inquiryAt } from "../gateways/gateway-call.ts";
import { type CardAuthentication, earlyAuthenticationId, isOpen } from "../orders/card-attempt.ts";
import { lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import {
  type CardAttemptRun,
  lastCardAttempt,
  openCardAttempt,
  runCardAttempt,
  type Succeeded,
} from "../orders/run-card-attempt.ts";
import { resultWithin } from "../platform/background-work.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { isSwitchedOff } from "../platform/switch-store.ts";
import { cancelTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import { requestedCharge } from "./charge/dunning.ts";
import { makeCharge } from "./charge/make-charge.ts";
import { type OpenCharge, openAttempt } from "./charge/open-charge.ts";
import { type EarlyPayment, isChargeable, readEarlyPayment } from "./charge/read-early-payment.ts";
import { PRESENT_MS } from "./charge/retry-decision.ts";
import { type CollectionKey, type CollectionRecord, cardOf, dueOf, dunningFacts, openAttemptOf } from "./collection.ts";
import { lockCollection } from "./collection-store.ts";
import { SETTLE_EARLY_TIMER } from "./collection-timers.ts";
import type { CollectionDependencies, CollectionRequestDependencies } from "./dependencies.ts";

/**
 * Charges the deferred part and its commission now, at any hour, to the stored card, once its issuer has confirmed the
 * patient or needs no challenge. The patient's identity has been proved before. A declined charge only delays the next
 * try; a declined authentication delays nothing. Concurrent calls make one charge. `processing`, if the request has no
 * time left: the payment continues.
 */
export async function payEarly(
  dependencies: CollectionRequestDependencies,
  {
    provider,
    key,
    now: at,
    shownAmount = null,
    within,
  }: {
    readonly provider: Provider;
    readonly key: CollectionKey;
    readonly now: Date;
    /** The amount that the page showed: nothing is charged if more is due. Null if unknown. */
    readonly shownAmount?: Clp | null;
    /** Further writes in the transaction that stores the authentication. */
    readonly within?: (tx: Transaction) => Promise<void>;
  },
): Promise<EarlyPayment> {
  const { db } = dependencies;
  const begun = await inTransaction(db, async (tx) => {
    const early = await begin(tx, dependencies, key, { at, shownAmount });
    if ("attempt" in early && !early.mayHaveArrived) await within?.(tx);
    return early;
  });
  if (!("attempt" in begun)) return begun;
  return payInTime(dependencies, { ...begun, provider, isInquiry: false });
}

/**
 * Returns the outcome of the last charge of the deferred part, by request or by mandate. The patient's identity has
 * been proved before. It charges only if the patient requested it and is back from the issuer's challenge, so that
 * reloading the page does not pay again.
 */
export async function inquireEarly(
  dependencies: CollectionRequestDependencies,
  { provider, key }: { readonly provider: Provider; readonly key: CollectionKey },
): Promise<EarlyPayment> {
  const attempt = await lastCardAttempt(dependencies.db, key, { purpose: "pay_early" });
  if (attempt?.state !== "at_page") return readEarlyPayment(dependencies.db, key);
  return payInTime(dependencies, { provider, attempt, mayHaveArrived: true, isInquiry: false });
}

/** Decides with the order and its collection locked, and stores the authentication unless one is open. */
async function begin(
  tx: Transaction,
  dependencies: CollectionDependencies,
  key: CollectionKey,
  { at, shownAmount }: { readonly at: Date; readonly shownAmount: Clp | null },
): Promise<Pick<CardAttemptRun<CardAuthentication>, "attempt" | "mayHaveArrived"> | EarlyPayment> {
  const ready = await readyToCharge(tx, key, at);
  if ("outcome" in ready) return ready;
  const { order, cardId } = ready;
  if (shownAmount !== null && dueOf(order).amount > shownAmount) return { outcome: "none" };
  const last = await lastCardAttempt(tx, key, { purpose: "pay_early" });
  if (last !== null && isOpen(last))
    return last.state === "at_page" ? { attempt: last, mayHaveArrived: true } : { outcome: "processing" };
  if (await isSwitchedOff(tx, "charges", key.providerId)) throw new ApiError("service_unavailable");
  const number = (last?.number ?? 0) + 1;
  const attempt = await openCardAttempt(tx, dependencies, {
    ...key,
    id: earlyAuthenticationId(key.orderId, number),
    purpose: "pay_early",
    number,
    cardId,
    card: null,
    amount: dueOf(order).amount,
    shownCharge: null,
    widgetTokenId: null,
    startedAt: at,
  });
  return { attempt, mayHaveArrived: false };
}

async function payInTime(
  dependencies: CollectionRequestDependencies,
  run: CardAttemptRun<CardAuthentication>,
): Promise<EarlyPayment> {
  const { db, background, answerWithinMs } = dependencies;
  const running = background.track("early_payment.run_failed", payAsked(dependencies, run));
  return (await resultWithin(running, answerWithinMs)) ?? readEarlyPayment(db, run.attempt);
}

/**
 * Asks the issuer to authenticate the patient, or inquires about the result, and charges the card once the patient is
 * confirmed.
 */
export async function payAsked(
  dependencies: CollectionDependencies,
  run: CardAttemptRun<CardAuthentication>,
): Promise<EarlyPayment> {
  const { db, clock } = dependencies;
  const { provider } = run;
  const { attempt, used: charge } = await runCardAttempt<CardAuthentication, OpenCharge>(dependencies, run, {
    use: async (tx, proof, at) => {
      const opened = await openProven(tx, dependencies, proof, at);
      return opened === null ? { state: "dropped" } : { used: opened };
    },
  });
  if (charge === null) return readEarlyPayment(db, attempt);
  const now = providerNow(provider, clock.now());
  const ran = await makeCharge(dependencies, provider, { charge, mayHaveArrived: false }, now);
  const { status, answer } = ran.attempt;
  if (status === null || answer === null) return { outcome: "processing" };
  await cancelTimer(db, { kind: SETTLE_EARLY_TIMER, key: charge.attemptId });
  if (status.state === "collected") return { outcome: "collected" };
  return answer.outcome === "declined" ? { outcome: "declined", ...causeOf(answer) } : { outcome: "processing" };
}

/**
 * Stores the charge of a confirmed patient, with the timer that settles it; null if the amount due was not
 * authenticated, or the patient no longer waits for it.
 */
async function openProven(
  tx: Transaction,
  { clock, connectors }: Pick<CollectionDependencies, "clock" | "connectors">,
  { attempt, authenticationId }: Succeeded<CardAuthentication>,
  at: Date,
): Promise<OpenCharge | null> {
  const { providerId, orderId, cardId, amount, startedAt, page } = attempt;
  const ready = await readyToCharge(tx, { providerId, orderId }, at);
  if ("outcome" in ready) return null;
  // The issuer keeps the proof, which is requested again once charges are switched on.
  if (await isSwitchedOff(tx, "charges", providerId)) throw new ApiError("service_unavailable");
  const { order, collection } = ready;
  // An amount that a refund has reduced is covered by the patient's confirmation; issuers have the same rule.
  const isCovered = ready.cardId === cardId && dueOf(order).amount <= amount;
  const isAwaited = at.getTime() - startedAt.getTime() < PRESENT_MS || (page !== null && at < page.expiresAt);
  if (!isCovered || !isAwaited) return null;
  const charge = await openAttempt(
    tx,
    { connectors },
    { order, collection, initiator: "patient", authenticationId, at },
  );
  if (charge === null) return null;
  await scheduleTimer(tx, {
    kind: SETTLE_EARLY_TIMER,
    key: charge.attemptId,
    providerId,
    dueAt: inquiryAt(clock.now()),
    payload: { order_id: orderId },
  });
  return charge;
}

interface ReadyToCharge {
  readonly order: OrderRecord;
  readonly collection: CollectionRecord;
  readonly cardId: string;
}

/** Locks the order and its collection, and decides whether the patient may have the rest charged at `at`. */
async function readyToCharge(tx: Transaction, key: CollectionKey, at: Date): Promise<ReadyToCharge | EarlyPayment> {
  const order = await lockOrder(tx, key);
  const collection = await lockCollection(tx, key);
  if (collection?.state === "collected") return { outcome: "collected" };
  if (collection !== null && openAttemptOf(collection) !== null) return { outcome: "processing" };
  if (collection === null || !(await isChargeable(tx, collection, order))) return { outcome: "nothing_due" };
  const card = cardOf(collection, order);
  const requested = requestedCharge(dunningFacts(collection, card), at);
  if (requested.outcome === "hard_decline") return { outcome: "declined", reason: requested.reason };
  if (requested.outcome === "wait") return { outcome: "too_many", until: requested.until };
  return { order, collection, cardId: card.id };
}
