import type { OrderStatus } from "../../contract/orders.ts";
import type { WebhookEventKind } from "../../contract/webhook-events.ts";

/**
 * Where an order is, as the service needs to know it. Partners see six published states; this one
 * also says whether a payment is under way and why an order has ended.
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

/** What partners are told of a transition; `order.changed` is derived from these for endpoints that ask for it. */
export type OrderEventKind = Exclude<WebhookEventKind, "order.changed">;

export interface Transition {
  readonly from: OrderState;
  readonly trigger: OrderTrigger;
  readonly to: OrderState;
  readonly events: readonly OrderEventKind[];
}

/**
 * Every transition there is, with its events; what is not in the table does not happen. A declined card or an attempt that was undone leaves the order payable and tells partners nothing; a final
 * refusal is `order.failed`. An order of a provider that captures first is cancelled when the credit is refused.
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

/** The line of the table, or `null` when the order may not do this now. */
export function findTransition(from: OrderState, trigger: OrderTrigger): Transition | null {
  return ORDER_TRANSITIONS.find((transition) => transition.from === from && transition.trigger === trigger) ?? null;
}

/** Thrown when an operation asks for a transition that its own checks should have excluded: a defect, never a refusal. */
export class TransitionImpossible extends Error {
  override readonly name = "TransitionImpossible";
  readonly code = "transition_impossible";
}

export function requireTransition(from: OrderState, trigger: OrderTrigger): Transition {
  const transition = findTransition(from, trigger);
  if (transition === null) throw new TransitionImpossible(`no transition by ${trigger} from ${from}`);
  return transition;
}

/** Has the whole price been paid, whatever was refunded since? */
export function wasPaid(state: OrderState): boolean {
  return state === "paid" || state === "partially_refunded" || state === "refunded";
}

/** May a payment be made for this order, now or when the one under way has ended without success? */
export function isPayable(state: OrderState): boolean {
  return state === "awaiting_payment" || state === "paying";
}
