import { ApiError } from "../../platform/http/api-error.ts";
import type { OrderState } from "./order.ts";

/** Throws 409 `payment_in_progress` or `order_not_payable` unless the order takes a card. */
export function refuseUnlessAwaitingPayment(state: OrderState): void {
  if (state === "paying") throw new ApiError("payment_in_progress");
  if (state !== "awaiting_payment") throw new ApiError("order_not_payable");
}
