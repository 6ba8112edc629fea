import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { CardProcessor } from "../../gateways/card-processor/port.ts";
import { holdOrder } from "../../orders/orders/order-reads.ts";
import { expiresTooSoon } from "../../orders/orders/readiness.ts";
import { resumeDeferred } from "../../orders/payments/deferred-charge.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import { chargeMoment, hasEnded } from "../collection.ts";
import type { CollectionCard, CollectionKey } from "../collection-record.ts";
import { lockCollection, readCollection, updateCollection } from "../collection-store.ts";
import { chargeTimer } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { STOPPED, standingOfDueCharge } from "./settle-charge.ts";

/**
 * Replaces the card for what is still to be charged; the patient's identity has been proved before. Tries start again
 * with the new card and the same delays, also if the collection had failed. Throws the same `ApiError`s as adding a
 * card before the payment, and 409 `order_not_payable` if nothing is left to charge.
 */
export async function changeCard(
  dependencies: CollectionDependencies,
  {
    provider,
    key,
    sealedCard,
    now,
    within,
  }: {
    readonly provider: Provider;
    readonly key: CollectionKey;
    readonly sealedCard: string;
    readonly now: Date;
    /** Further writes in the transaction that stores the card. */
    readonly within?: (tx: Transaction) => Promise<void>;
  },
): Promise<CollectionCard> {
  const { db, ids, cardProcessor } = dependencies;
  const collection = await readCollection(db, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  // Each request has its own idempotency key, because registering a card twice does no harm.
  const call = { providerId: provider.id, idempotencyKey: `${ids.uuid()}:card`, at: now };
  const card = await registerCard(cardProcessor, call, { sealedCard, orderHash: key.orderId });
  if (expiresTooSoon(card, collection.paidAt)) throw new ApiError("card_expires_too_soon");
  await inTransaction(db, async (tx) => {
    await useCard(tx, dependencies, { provider, key, card, at: now });
    await within?.(tx);
  });
  return card;
}

async function registerCard(
  cardProcessor: CardProcessor,
  call: Parameters<CardProcessor["registerCard"]>[0],
  input: { readonly sealedCard: string; readonly orderHash: OrderId },
): Promise<CollectionCard> {
  const registered = await cardProcessor.registerCard(call, input);
  switch (registered.outcome) {
    case "declined":
      throw new ApiError("card_declined", { decline_reason: registered.reason });
    case "sealed_card_refused":
      throw new ApiError("sealed_card_refused");
    case "unknown":
      throw new ApiError("card_processor_unavailable");
    case "registered": {
      const { id, brand, last4, expMonth, expYear, holderName, kind } = registered.card;
      return { id, brand, last4, expMonth, expYear, holderName, kind };
    }
  }
}

async function useCard(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { provider, key, card, at }: { provider: Provider; key: CollectionKey; card: CollectionCard; at: Date },
): Promise<void> {
  const order = await holdOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await lockCollection(tx, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  const { state, dueAt, failure, trigger } = collection;
  const renewed = { ...collection, card, seriesFrom: at };
  const isTried = trigger !== null && (state === "scheduled" || state === "failed");
  const standing = isTried
    ? (await hasOpenChargeback(tx, key))
      ? STOPPED
      : await standingOfDueCharge(tx, dependencies, { collection: renewed, order, at })
    : { state, dueAt, failure };
  await updateCollection(tx, key, { ...standing, card, seriesFrom: at }, at);
  if (state === "failed" && standing.state === "scheduled") await resumeDeferred(tx, order, at);
  // If a charge is in progress, this timer waits for its outcome and then continues from there.
  if (trigger !== null) await scheduleTimer(tx, chargeTimer(provider, renewed, standing.dueAt ?? chargeMoment(at)));
}
