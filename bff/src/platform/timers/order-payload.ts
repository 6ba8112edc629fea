import { isOrderId, type OrderId } from "../../contract/vocabulary/identifiers.ts";

/** Thrown when the timer of an order does not name it: a defect. */
class TimerWithoutOrder extends Error {
  override readonly name = "TimerWithoutOrder";
  readonly code = "timer_without_order";
}

/** The payload of the timers of orders, and of their collections. */
export function orderPayload(orderId: OrderId): { order_id: OrderId } {
  return { order_id: orderId };
}

export function readOrderId(payload: unknown): OrderId {
  if (typeof payload === "object" && payload !== null && "order_id" in payload) {
    const { order_id: id } = payload;
    if (typeof id === "string" && isOrderId(id)) return id;
  }
  throw new TimerWithoutOrder("A timer of an order does not name it.");
}
