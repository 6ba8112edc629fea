import type { Order } from "../../contract/orders.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { publishEvents } from "../../platform/event-store.ts";
import type { NewEvent } from "../../platform/outbox.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import {
  type OrderEventKind,
  type OrderTrigger,
  publishedStatus,
  requireTransition,
  type Transition,
  wasPaid,
} from "../order.ts";
import type { OrderRecord } from "../order-record.ts";
import { changeState, type OrderChanges } from "../order-store.ts";
import { partnerOrder } from "../order-view.ts";

/** Why a payment is finally impossible, as partners see it. Contains no private data. */
export interface PaymentFailure {
  readonly code: string;
  readonly message: string;
}

/** Thrown when an order is no longer in the expected state; the transaction must be rolled back. */
class OrderMoved extends Error {
  override readonly name = "OrderMoved";
  readonly code = "order_moved";
}

export interface Move {
  readonly trigger: OrderTrigger;
  /** In the provider's time. */
  readonly at: Date;
  readonly changes?: OrderChanges;
  readonly failure?: PaymentFailure;
  /** The refund that moves the order. */
  readonly refundId?: string;
}

type MoveDependencies = Pick<OrdersDependencies, "ids" | "related">;

/**
 * Applies one transition from the table to an order and writes its events, in the caller's transaction. `order` must
 * have the state that the caller has read. The events show the order as partners see it after the transition; the last
 * event has the order's last sequence number. Returns the order after the transition. Throws `OrderMoved` if another
 * writer changed the state first.
 */
export async function moveOrder(
  tx: Transaction,
  { ids, related }: MoveDependencies,
  order: Pick<OrderRecord, "providerId" | "orderId" | "state">,
  { trigger, at, changes = {}, failure, refundId }: Move,
): Promise<OrderRecord> {
  const transition = requireTransition(order.state, trigger);
  const { from, to, events } = transition;
  const moved = await changeState(tx, order, { from, to, events: events.length, changes }, at);
  if (moved === null) throw new OrderMoved(`the order is no longer ${from}`);
  if (events.length === 0) return moved;
  const expense = await related.expenseOf(tx, moved.providerId, moved.orderId);
  // An order that was not paid before this transition has no collection yet.
  const collection = wasPaid(from) ? await related.collectionOf(tx, moved) : null;
  const view = partnerOrder(moved, { expense, collection }, at);
  await publishEvents(tx, eventsOf(ids, moved, view, transition, { at, failure, refundId }));
  return moved;
}

function eventsOf(
  ids: MoveDependencies["ids"],
  order: OrderRecord,
  view: Order,
  { events }: Transition,
  { at, failure, refundId }: Pick<Move, "at" | "failure" | "refundId">,
): NewEvent[] {
  const { providerId, orderId: id } = order;
  const status = publishedStatus(order.state);
  const first = order.eventSequence - events.length + 1;
  const failureOf = (kind: OrderEventKind) => (kind === "order.failed" ? failure : undefined);
  return events.map((kind, index) => ({
    id: ids.uuid(),
    providerId,
    orderId: id,
    kind,
    sequence: first + index,
    // JSON omits undefined fields.
    payload: {
      reference: order.reference,
      order_hash: id,
      status,
      failure: failureOf(kind),
      refund_id: refundId,
      order: view,
    },
    createdAt: at,
  }));
}
