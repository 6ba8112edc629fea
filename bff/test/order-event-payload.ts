import { type OrderStatus, orderSchema } from "../src/contract/orders.ts";
import type { OrderEventPayload } from "../src/orders/order-events.ts";
import { orderExample } from "../src/partner-docs/order-example.ts";

/** The payload of an order's event, for an order of the usual size. */
export function orderEventPayload(hash: string, status: OrderStatus = "paid"): OrderEventPayload {
  const order = orderSchema.parse({ ...orderExample(status), hash });
  return { reference: order.reference, order_hash: hash, status, order };
}
