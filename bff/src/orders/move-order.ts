import type { Transaction } from "../platform/database/transaction.ts";
import { appendEvent } from "../platform/event-store.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { type OrderEventKind, type OrderTrigger, publishedStatus, requireTransition } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";
import { type OrderChanges, requireOrder, updateOrder } from "./order-store.ts";
import { partnerOrder } from "./order-view.ts";

/** Why a payment is finally impossible, as partners are told (decisions, section 9). Nothing private. */
export interface PaymentFailure {
  readonly code: string;
  readonly message: string;
}

/** Thrown when an order is no longer in the state from which it was to be moved; the transaction has to end with it. */
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
}

type MoveDependencies = Pick<OrdersDependencies, "ids" | "related">;

/**
 * Takes an order along one line of the table of transitions and writes its events, in the caller's transaction. `order` is
 * as it was read in that transaction. Returns the order as it then is. Throws `OrderMoved` when another writer was first.
 */
export async function moveOrder(
  tx: Transaction,
  dependencies: MoveDependencies,
  order: OrderRecord,
  { trigger, at, changes, failure }: Move,
): Promise<OrderRecord> {
  const { from, to, events } = requireTransition(order.state, trigger);
  const eventSequence = order.eventSequence + events.length;
  const isMoved = await updateOrder(
    tx,
    order,
    [from],
    { ...changes, state: to, ...(events.length > 0 && { event_sequence: eventSequence }) },
    at,
  );
  if (!isMoved) throw new OrderMoved(`the order is no longer ${from}`);
  const moved = await requireOrder(tx, order);
  if (events.length > 0) await appendOrderEvents(tx, dependencies, moved, { kinds: events, at, failure });
  return moved;
}

/** Writes the events with the order as partners then see it; the last one has the order's last sequence number. */
async function appendOrderEvents(
  tx: Transaction,
  { ids, related }: MoveDependencies,
  order: OrderRecord,
  told: {
    readonly kinds: readonly OrderEventKind[];
    readonly at: Date;
    readonly failure: PaymentFailure | undefined;
  },
): Promise<void> {
  const { providerId, id } = order;
  const expense = await related.expenseOf(tx, providerId, id);
  const collection = await related.collectionOf(tx, providerId, id);
  const view = partnerOrder(order, { expense, collection }, told.at);
  const status = publishedStatus(order.state);
  const first = order.eventSequence - told.kinds.length + 1;
  for (const [index, kind] of told.kinds.entries()) {
    const failure = kind === "order.failed" && told.failure !== undefined ? { failure: told.failure } : {};
    await appendEvent(tx, {
      id: ids.uuid(),
      providerId,
      orderId: id,
      kind,
      sequence: first + index,
      payload: { reference: order.reference, order_hash: id, status, ...failure, order: view },
      createdAt: told.at,
    });
  }
}
