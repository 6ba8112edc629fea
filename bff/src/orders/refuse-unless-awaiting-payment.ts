import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { OrderRecord } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { findAttempt } from "./payments/payment-store.ts";

/** Throws 409 `payment_in_progress` or `order_not_payable` unless the order accepts a card. */
export async function refuseUnlessAwaitingPayment(db: Database, order: OrderRecord): Promise<void> {
  if (order.state === "paying") throw await paymentInProgress(db, order);
  if (order.state !== "awaiting_payment") throw new ApiError("order_not_payable");
}

/** 409 `payment_in_progress`, with the end of the issuer's challenge if the payment waits for one. */
export async function paymentInProgress(db: Database, order: OrderKey): Promise<ApiError> {
  const open = await findAttempt(db, order, "open");
  const endsAt = open?.state === "challenged" ? open.challenge?.expiresAt : undefined;
  return new ApiError("payment_in_progress", endsAt === undefined ? {} : { challenge_ends_at: endsAt.toISOString() });
}
