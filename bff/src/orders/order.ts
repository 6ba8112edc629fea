/* The states of an order and every transition between them. */

import type { OrderStatus } from "../contract/orders.ts";
import type { CourseKind, WebhookEventKind } from "../contract/webhook-events.ts";

/**
 * The internal states. Partners see six published states; these also say whether a payment is in progress and why an
 * order ended.
 */
export const ORDER_STATES = [
  "awaiting_payment",
  "paying",
  "payment_failed",
  "first_captured",
  "paid",
  "partially_refunded",
  "refunded",
  "cancelled",
  "expired",
  "credit_refused",
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** The published state of each internal one. */
const PUBLISHED: Readonly<Record<OrderState, OrderStatus>> = {
  awaiting_payment: "pending",
  paying: "pending",
  payment_failed: "pending",
  first_captured: "partially_paid",
  paid: "paid",
  partially_refunded: "partially_refunded",
  refunded: "refunded",
  cancelled: "cancelled",
  expired: "cancelled",
  credit_refused: "cancelled",
};

export function publishedStatus(state: OrderState): OrderStatus {
  return PUBLISHED[state];
}

/** The states that partners see as `status`. */
export function statesOf(status: OrderStatus): OrderState[] {
  return ORDER_STATES.filter((state) => PUBLISHED[state] === status);
}

export const ORDER_TRIGGERS = [
  "start_payment",
  "decline_payment",
  "fail_payment",
  "capture_first",
  "complete_payment",
  "refund_part",
  "refund_rest",
  "cancel",
  "expire",
] as const;
export type OrderTrigger = (typeof ORDER_TRIGGERS)[number];

/**
 * The kind of a `CourseKind` in the event log. The prefix avoids a clash with another room's event of the same name.
 */
export type CourseNewsKind = `news.${CourseKind}`;
/** An order event without a state change. */
export type OrderNewsKind = "order.receipt_missing" | "order.refund_failed" | CourseNewsKind;
/** The events that a transition publishes. `order.changed` is derived from them for endpoints that subscribe to it. */
export type OrderEventKind = Exclude<WebhookEventKind, "order.changed" | OrderNewsKind | CourseKind>;

export interface Transition {
  readonly from: OrderState;
  readonly trigger: OrderTrigger;
  readonly to: OrderState;
  readonly events: readonly OrderEventKind[];
}

/**
 * All transitions, with their events. A declined card or an undone attempt leaves the order payable and publishes
 * nothing; a final refusal publishes `order.failed`. If the provider captures first, an order whose credit is refused
 * is cancelled.
 */
export const ORDER_TRANSITIONS: readonly Transition[] = [
  line("awaiting_payment", "start_payment", "paying"),
  line("paying", "decline_payment", "awaiting_payment"),
  line("paying", "fail_payment", "payment_failed", "order.failed"),
  line("paying", "capture_first", "first_captured", "order.partially_paid"),
  line("paying", "complete_payment", "paid", "order.paid"),
  line("first_captured", "complete_payment", "paid", "order.paid"),
  line("first_captured", "fail_payment", "credit_refused", "order.failed", "order.cancelled"),
  line("paid", "refund_part", "partially_refunded", "order.refunded"),
  line("paid", "refund_rest", "refunded", "order.refunded"),
  line("partially_refunded", "refund_part", "partially_refunded", "order.refunded"),
  line("partially_refunded", "refund_rest", "refunded", "order.refunded"),
  line("awaiting_payment", "cancel", "cancelled", "order.cancelled"),
  line("payment_failed", "cancel", "cancelled", "order.cancelled"),
  line("awaiting_payment", "expire", "expired", "order.cancelled"),
  line("payment_failed", "expire", "expired", "order.cancelled"),
];

function line(
  from: OrderState,
  trigger: OrderTrigger,
  to: OrderState,
  ...events: readonly OrderEventKind[]
): Transition {
  return { from, trigger, to, events };
}

/** The matching transition, or `null` if this trigger is not possible in this state. */
export function findTransition(from: OrderState, trigger: OrderTrigger): Transition | null {
  return ORDER_TRANSITIONS.find((transition) => transition.from === from && transition.trigger === trigger) ?? null;
}

/** Thrown when an operation requests a transition that its own checks should have excluded: a defect. */
export class TransitionImpossible extends Error {
  override readonly name = "TransitionImpossible";
  readonly code = "transition_impossible";
}

export function requireTransition(from: OrderState, trigger: OrderTrigger): Transition {
  const transition = findTransition(from, trigger);
  if (transition === null) throw new TransitionImpossible(`no transition by ${trigger} from ${from}`);
  return transition;
}

/** True if the whole price was paid, whatever was refunded afterwards. */
export function wasPaid(state: OrderState): boolean {
  return state === "paid" || state === "partially_refunded" || state === "refunded";
}

/** True if this order can be paid, now or after the payment in progress ends without success. */
export function isPayable(state: OrderState): boolean {
  return state === "awaiting_payment" || state === "paying";
}

/** True if its last payment was finally refused. */
export function isRefused(state: OrderState): boolean {
  return state === "payment_failed" || state === "credit_refused";
}
