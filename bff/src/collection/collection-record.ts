import type { DeclineReason } from "../contract/errors.ts";
import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { collectableRest, type OrderCard, type OrderRecord } from "../orders/orders/order-record.ts";
import { deferredDue } from "../orders/payments/deferred-charge.ts";
import type { DeclinedTry, DunningFacts } from "./charge/dunning.ts";
import type { CollectionState, FailureReason, Trigger } from "./collection.ts";

/** Another card than the one that paid, as the processor lets us keep it. */
export type CollectionCard = OrderCard;

/** Which collection: an order has one. */
export interface CollectionKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** One time that the deferred part was charged; its id is that of the order's payment. */
export interface CollectionAttempt {
  readonly id: string;
  readonly initiator: "merchant" | "patient";
  /** `not_made`: its call never arrived, and was not made again. */
  readonly state: "charging" | "captured" | "declined" | "not_made";
  readonly cardId: string;
  readonly declineReason: DeclineReason | null;
  readonly hard: boolean;
  /** Inquiries about its call so far. */
  readonly inquiries: number;
  readonly startedAt: Date;
  /** When its call was made last; `startedAt` unless it was made anew. */
  readonly calledAt: Date;
}

/** A collection with its trigger and its attempts, oldest first. */
export interface CollectionRecord extends CollectionKey {
  readonly state: CollectionState;
  readonly paidAt: Date;
  readonly dueAt: Date | null;
  readonly card: CollectionCard | null;
  readonly seriesFrom: Date | null;
  readonly failure: FailureReason | null;
  /** The moment for which the patient was told of the charge of day 45; null: they were not. */
  readonly announcedFor: Date | null;
  readonly trigger: Trigger | null;
  readonly attempts: readonly CollectionAttempt[];
}

/** The attempt whose end is not known yet. */
export function openAttemptOf({ attempts }: CollectionRecord): CollectionAttempt | null {
  return attempts.find(({ state }) => state === "charging") ?? null;
}

/** Is what comes next the first charge of day 45, of which the patient is told some days before? */
export function isFirstOfDay45({ trigger, attempts }: CollectionRecord): boolean {
  const isTried = attempts.some(({ initiator, state }) => initiator === "merchant" && state !== "not_made");
  return trigger?.reason === "day_45" && !isTried;
}

/** What decides about the next try with the card that would be charged. */
export function dunningFacts(collection: CollectionRecord, card: OrderCard): DunningFacts {
  const declined = collection.attempts.filter(({ state }) => state === "declined").map(asTry);
  return { declined, cardId: card.id, seriesFrom: collection.seriesFrom };
}

/** A try is when its card was asked last, which an outage may have put days after it was written down. */
function asTry({ calledAt, initiator, cardId, hard, declineReason: reason }: CollectionAttempt): DeclinedTry {
  return { at: calledAt, initiator, cardId, hard, reason };
}

/** What one charge of the deferred part would take, and the commission in it: nothing once it was given up for good. */
export function dueOf(
  order: OrderRecord,
  collection: Pick<CollectionRecord, "failure"> | null,
): { readonly amount: Clp; readonly commission: Clp } {
  if (collection?.failure === "written_off") return { amount: ZERO, commission: ZERO };
  const { price, commission } = deferredDue(order);
  return { amount: addClp(price, commission), commission };
}

/**
 * Can nothing of the deferred part be charged any more, whatever becomes of what is under way? A refund that has not ended
 * may still fail and give its claim free again.
 */
export function isOver(order: OrderRecord): boolean {
  const isUnsettled =
    order.payments.some(({ status }) => status === "processing") ||
    order.refunds.some(({ status }) => status === "processing");
  return collectableRest(order) === 0 && !isUnsettled;
}
