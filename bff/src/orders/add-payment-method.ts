import type { GivenConsent } from "../contract/orders.ts";
import type { RegisterCardOutcome, RegisterStoredCardOutcome } from "../gateways/card-processor.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { registeredCard, registrationKey } from "./card-attempt.ts";
import { askToRemove, removeUnlessUsed } from "./card-removals.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { lockOrder } from "./order-reads.ts";
import type { OrderCard, OrderRecord } from "./order-record.ts";
import { lockOrderState, replaceCard, requireFound } from "./order-store.ts";
import { expiresTooSoon } from "./readiness.ts";
import { paymentInProgress, refuseUnlessAwaitingPayment } from "./refuse-unless-awaiting-payment.ts";
import { replaceCardAttempt } from "./run-card-attempt.ts";
import { askForNewCard } from "./saved-cards/ask-to-keep.ts";
import { keepFromRemoval, noteChosen, registerSavedCard } from "./saved-cards/choose-saved-card.ts";

export type AddDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "cardProcessor" | "returnUrl" | "patient"
>;

/** A card for an order: either a card sealed in the browser, with its consents, or a saved card. */
export type NewCard =
  | {
      /** A compact JWE for the processor. It is forwarded and never stored, queued or logged. */
      readonly sealedCard: string;
      readonly consents: readonly GivenConsent[];
      readonly ip: string;
      readonly userAgent: string | null;
    }
  | { readonly savedCardId: string };

export interface PaymentMethodRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly card: NewCard;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Registers a sealed card with the processor, or selects a saved one. It replaces the order's previous card.
 * Throws 400 `processor_customer_identity_not_validated`, `sealed_card_refused`, `stored_card_refused`,
 * `card_declined`, `card_expires_too_soon`, or `card_page_needed` (confirm the card on the processor's page). Throws
 * 409 `order_not_payable`, `payment_in_progress`. Throws 503 `card_processor_unavailable` (nothing was stored; seal the
 * card again before retrying).
 */
export async function addPaymentMethod(
  dependencies: AddDependencies,
  request: PaymentMethodRequest,
): Promise<{ readonly card: OrderCard; readonly order: OrderRecord }> {
  const { db } = dependencies;
  const { order, now } = request;
  await refuseUnlessAwaitingPayment(db, order);
  if (order.identityValidatedAt === null) throw new ApiError("processor_customer_identity_not_validated");
  const { id, registered } = await register(dependencies, request);
  if (registered.outcome === "page") await keepPage(dependencies, { ...request, id, page: registered });
  return removeUnlessUsed(dependencies, { key: order, registered, at: now }, async () => {
    const card = cardOf(registered, now);
    return { card, order: await inTransaction(db, (tx) => putOnOrder(dependencies, tx, request, card)) };
  });
}

async function putOnOrder(
  dependencies: AddDependencies,
  tx: Transaction,
  request: PaymentMethodRequest,
  card: OrderCard,
): Promise<OrderRecord> {
  const { order, now } = request;
  if ("savedCardId" in request.card) await keepFromRemoval(tx, request.card.savedCardId);
  // Lock before storing the request to save the card: of two concurrent cards, each replaces the other with its
  // request.
  await refuseUnlessAwaitingPayment(tx, { ...order, state: requireFound(await lockOrderState(tx, order)) });
  const replaced = await replaceCard(tx, order, card, now);
  if (replaced === null) throw await paymentInProgress(tx, order);
  await noteWish(dependencies, tx, request, card);
  const { replacedId } = replaced;
  if (replacedId !== null) await askToRemove(tx, dependencies, order, { cardIds: [replacedId], at: now });
  return replaced.order;
}

export interface SavedCardChoice extends Pick<PaymentMethodRequest, "provider" | "order" | "now"> {
  readonly savedCardId: string;
}

/**
 * Puts a saved card on an order whose patient was recognised. Returns the order, or null if the card cannot be used.
 */
export async function chooseSavedCard(
  dependencies: AddDependencies,
  { savedCardId, ...chosen }: SavedCardChoice,
): Promise<OrderRecord | null> {
  try {
    return (await addPaymentMethod(dependencies, { ...chosen, card: { savedCardId } })).order;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function register(
  dependencies: AddDependencies,
  { provider, order, card, now }: PaymentMethodRequest,
): Promise<{ readonly id: string; readonly registered: RegisterCardOutcome | RegisterStoredCardOutcome }> {
  const { cardProcessor, ids } = dependencies;
  // Each request has its own idempotency key, because registering a card twice is harmless.
  const id = ids.uuid();
  const call = { providerId: provider.id, idempotencyKey: registrationKey(id), at: now };
  if (!("sealedCard" in card))
    return { id, registered: await registerSavedCard(dependencies, call, { provider, order, ...card }) };
  const { providerId, orderId } = order;
  const returnUrl = dependencies.returnUrl({ kind: "card", providerId, orderId, attemptId: id });
  const input = { sealedCard: card.sealedCard, orderHash: orderId, returnUrl };
  return { id, registered: await cardProcessor.registerCard(call, input) };
}

/** The processor requires confirmation on its page. From here on the card is polled like one entered there. */
async function keepPage(
  dependencies: AddDependencies,
  {
    order,
    card,
    id,
    page,
    now,
  }: PaymentMethodRequest & { readonly id: string; readonly page: Extract<RegisterCardOutcome, { outcome: "page" }> },
): Promise<void> {
  if (!("sealedCard" in card)) return;
  const { providerId, orderId } = order;
  const { consents, ip, userAgent } = card;
  const given = { consents, ip, userAgent };
  const begun = { providerId, orderId, purpose: "payment", widgetTokenId: null, given, page, startedAt: now } as const;
  await inTransaction(dependencies.db, async (tx) => {
    await refuseUnlessAwaitingPayment(tx, await lockOrder(tx, order));
    await replaceCardAttempt(tx, dependencies, begun, () => id);
  });
}

/** The card as stored on the order. Throws if the processor declined it, or if it expires before the last charge. */
function cardOf(registered: RegisterCardOutcome | RegisterStoredCardOutcome, now: Date): OrderCard {
  switch (registered.outcome) {
    case "declined":
      throw new ApiError("card_declined", { decline_reason: registered.reason });
    case "sealed_card_refused":
      throw new ApiError("sealed_card_refused");
    case "not_kept":
      throw new ApiError("stored_card_refused");
    case "unknown":
      throw new ApiError("card_processor_unavailable");
    case "page":
      throw new ApiError("card_page_needed");
    case "page_abandoned":
      throw new ApiError("card_processor_unavailable");
    case "registered":
      if (expiresTooSoon(registered.card, now)) throw new ApiError("card_expires_too_soon");
  }
  return registeredCard(registered.card);
}

/** Records that the card is a saved one, or that its patient wants it saved. */
function noteWish(
  dependencies: AddDependencies,
  tx: Transaction,
  { provider, order, card: added, now }: PaymentMethodRequest,
  card: OrderCard,
): Promise<void> {
  return "sealedCard" in added
    ? askForNewCard(dependencies, tx, { ...added, provider, order, card, now })
    : noteChosen(tx, { order, savedCardId: added.savedCardId, card, now });
}
