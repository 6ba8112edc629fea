import type { CardPage, CardPageOffer } from "../gateways/card-processor.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import { countdown } from "../platform/background-work.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { readOrderId } from "../platform/timers/order-payload.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { type CardRegistration, cardEntry, cardRegistrationId, type GivenWithCard, isOpen } from "./card-attempt.ts";
import { askToRemove } from "./card-removals.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { findOrder, lockOrder } from "./order-reads.ts";
import type { OrderCard, OrderRecord } from "./order-record.ts";
import { lockOrderState, replaceCard, requireFound } from "./order-store.ts";
import { expiresTooSoon } from "./readiness.ts";
import { refuseUnlessAwaitingPayment } from "./refuse-unless-awaiting-payment.ts";
import {
  attemptInTime,
  type CardAttemptRun,
  keepGiven,
  lastCardAttempt,
  openCardAttempt,
  runCardAttempt,
  settleCardAttempt,
} from "./run-card-attempt.ts";
import { askForNewCard } from "./saved-cards/ask-to-keep.ts";

export type CardPageDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "cardProcessor" | "returnUrl" | "patient" | "findProvider" | "background" | "answerWithinMs"
>;

/** The result of a card given on the processor's page. */
export type CardOnPage = { readonly order: OrderRecord } & (
  | { readonly outcome: "added"; readonly card: OrderCard }
  | { readonly outcome: "open"; readonly page: CardPage }
  /** Not known yet; an inquiry will return it. */
  | { readonly outcome: "processing" }
  /** No page is open, and the order has no card from one. */
  | { readonly outcome: "none" }
);

export interface CardPageRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Opens the processor's page for a card of an order to be paid. While a page is open it is returned again, so that two
 * presses or two tabs share one page and one card; the data of the last press counts. Throws 400
 * `processor_customer_identity_not_validated`, `card_page_not_offered`, `card_declined`, `card_expires_too_soon`,
 * `card_page_abandoned`, 409 `order_not_payable`, `payment_in_progress`, 503 `card_processor_unavailable`.
 */
export async function openCardPage(
  dependencies: CardPageDependencies,
  { provider, order, now, given }: CardPageRequest & { readonly given: GivenWithCard },
): Promise<CardOnPage> {
  const timeLeft = countdown(dependencies.clock, dependencies.answerWithinMs);
  await refuseUnlessAwaitingPayment(dependencies.db, order);
  if (order.identityValidatedAt === null) throw new ApiError("processor_customer_identity_not_validated");
  const before = await inquireOpen(dependencies, { provider, order, given });
  if (before !== null) return before;
  await requirePage(dependencies, provider);
  const opened = await inTransaction(dependencies.db, async (tx) => {
    await refuseUnlessAwaitingPayment(tx, await lockOrder(tx, order));
    const last = await lastCardAttempt(tx, order, { purpose: "payment" });
    // A concurrent press has opened it.
    if (last !== null && isOpen(last)) return { attempt: last, mayHaveArrived: true };
    const number = (last?.number ?? 0) + 1;
    const attempt = await openCardAttempt(tx, dependencies, {
      providerId: order.providerId,
      orderId: order.orderId,
      id: cardRegistrationId(order.orderId, "payment", number),
      purpose: "payment",
      number,
      widgetTokenId: null,
      given,
      page: null,
      startedAt: now,
    });
    return { attempt, mayHaveArrived: false };
  });
  const run = { ...opened, provider, isInquiry: false };
  return describePage(dependencies, await runPageInTime(dependencies, run, timeLeft()));
}

/** The result of the page that was last opened for an order. Throws as `openCardPage` does if it gave no card. */
export async function inquireCardPage(
  dependencies: CardPageDependencies,
  { provider, order }: CardPageRequest,
): Promise<CardOnPage> {
  const last = await lastCardAttempt(dependencies.db, order, { purpose: "payment" });
  if (last === null) return { outcome: "none", order };
  return describePage(dependencies, await inquirePage(dependencies, provider, last));
}

/** Timer of a page that a request left open: the patient has not come back, or the answer was lost. */
export async function settleCardPage(
  dependencies: CardPageDependencies,
  { providerId, key: id, payload }: ClaimedTimer,
): Promise<TimerOutcome> {
  const provider = await dependencies.findProvider(providerId);
  const key = { providerId, orderId: readOrderId(payload) };
  return settleCardAttempt<CardRegistration>(dependencies, { provider, key, id }, (run) => runPage(dependencies, run));
}

/** Throws 400 `card_page_not_offered` if the provider's patients give no cards there, and 503 if that is unknown. */
export async function requirePage(
  { cardProcessor }: Pick<CardPageDependencies, "cardProcessor">,
  provider: Provider,
): Promise<void> {
  let offer: CardPageOffer;
  try {
    offer = await cardProcessor.cardPage();
  } catch (error) {
    throw error instanceof GatewayUnavailable
      ? new ApiError("card_processor_unavailable", {}, { cause: error })
      : error;
  }
  if (cardEntry(offer, provider) === "fields") throw new ApiError("card_page_not_offered");
}

/** The state of the last opened page; null if none is open, so that the press opens another. */
async function inquireOpen(
  dependencies: CardPageDependencies,
  { provider, order, given }: Omit<CardPageRequest, "now"> & { readonly given: GivenWithCard },
): Promise<CardOnPage | null> {
  const { db } = dependencies;
  const last = await lastCardAttempt(db, order, { purpose: "payment" });
  if (last === null || !isOpen(last)) return null;
  await keepGiven(db, last, given);
  const page = await inquirePage(dependencies, provider, last);
  return isOpen(page) || page.state === "succeeded" ? describePage(dependencies, page) : null;
}

/** The result of a page. If it is open, inquires and puts a card that was given there on its order. */
export async function inquirePage(
  dependencies: CardPageDependencies,
  provider: Provider,
  page: CardRegistration,
): Promise<CardRegistration> {
  if (!isOpen(page)) return page;
  const run = { provider, attempt: page, mayHaveArrived: true, isInquiry: false };
  return runPageInTime(dependencies, run, dependencies.answerWithinMs);
}

function runPageInTime(
  dependencies: CardPageDependencies,
  run: CardAttemptRun<CardRegistration>,
  milliseconds: number,
): Promise<CardRegistration> {
  return attemptInTime(dependencies, { attempt: run.attempt, running: runPage(dependencies, run), milliseconds });
}

async function runPage(
  dependencies: CardPageDependencies,
  run: CardAttemptRun<CardRegistration>,
): Promise<CardRegistration> {
  const { attempt } = await runCardAttempt(dependencies, run, {
    use: async (tx, { attempt: registration, card }, at) => {
      if (expiresTooSoon(card, at)) return { state: "expires_too_soon" };
      const used = await addCard(dependencies, tx, { provider: run.provider, registration, card, at });
      return used === null ? { state: "dropped" } : { used };
    },
  });
  return attempt;
}

/** Puts the card on the order, with the request to save it; null if the order no longer accepts a card. */
async function addCard(
  dependencies: CardPageDependencies,
  tx: Transaction,
  added: {
    readonly provider: Provider;
    readonly registration: CardRegistration;
    readonly card: OrderCard;
    readonly at: Date;
  },
): Promise<OrderRecord | null> {
  const { provider, registration, card, at: now } = added;
  requireFound(await lockOrderState(tx, registration));
  const replaced = await replaceCard(tx, registration, card, now);
  if (replaced === null) return null;
  const { order, replacedId } = replaced;
  if (replacedId !== null) await askToRemove(tx, dependencies, registration, { cardIds: [replacedId], at: now });
  const given = registration.given ?? { consents: [], ip: "", userAgent: null };
  await askForNewCard(dependencies, tx, { ...given, provider, order, card, now });
  return order;
}

async function describePage({ db }: CardPageDependencies, registration: CardRegistration): Promise<CardOnPage> {
  const order = requireFound(await findOrder(db, registration));
  switch (registration.state) {
    case "calling":
      return { outcome: "processing", order };
    case "at_page":
      return registration.page === null
        ? { outcome: "processing", order }
        : { outcome: "open", page: registration.page, order };
    case "succeeded":
      return order.card !== null && order.card.id === registration.cardId
        ? { outcome: "added", card: order.card, order }
        : { outcome: "none", order };
    case "declined":
      throw new ApiError("card_declined", { decline_reason: registration.declineReason ?? "declined" });
    case "abandoned":
      throw new ApiError("card_page_abandoned");
    case "expires_too_soon":
      throw new ApiError("card_expires_too_soon");
    case "dropped":
      await refuseUnlessAwaitingPayment(db, order);
      return { outcome: "none", order };
  }
}
