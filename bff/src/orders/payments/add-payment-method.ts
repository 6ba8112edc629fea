import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderState } from "../orders/order.ts";
import type { OrderCard, OrderRecord } from "../orders/order-record.ts";
import { replaceCard, requireOrder } from "../orders/order-store.ts";
import { expiresTooSoon } from "../orders/readiness.ts";

type AddDependencies = Pick<OrdersDependencies, "db" | "ids" | "cardProcessor">;

export interface PaymentMethodRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  /** A compact JWE for the processor. It is forwarded and never stored, queued or logged. */
  readonly sealedCard: string;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Has the card processor decrypt and keep the card, which replaces any other. Throws 400
 * `processor_customer_identity_not_validated`, `sealed_card_refused`, `card_declined`, `card_expires_too_soon`, 409
 * `order_not_payable`, `payment_in_progress`, 503 `card_processor_unavailable` (nothing was kept; encrypt the card
 * again before the next try).
 */
export async function addPaymentMethod(
  dependencies: AddDependencies,
  { provider, order, sealedCard, now }: PaymentMethodRequest,
): Promise<{ readonly card: OrderCard; readonly order: OrderRecord }> {
  const { db, ids, cardProcessor } = dependencies;
  if (order.identityValidatedAt === null) throw new ApiError("processor_customer_identity_not_validated");
  refuseUnlessAwaitingPayment(order.state);
  // Each request has its own idempotency key, because registering a card twice does no harm.
  const call = { providerId: provider.id, idempotencyKey: `${ids.uuid()}:card`, at: now };
  const registered = await cardProcessor.registerCard(call, { sealedCard, orderHash: order.orderId });
  switch (registered.outcome) {
    case "declined":
      throw new ApiError("card_declined", { decline_reason: registered.reason });
    case "sealed_card_refused":
      throw new ApiError("sealed_card_refused");
    case "unknown":
      throw new ApiError("card_processor_unavailable");
    case "registered":
      if (expiresTooSoon(registered.card, now)) throw new ApiError("card_expires_too_soon");
  }
  const { id, brand, last4, expMonth, expYear, kind } = registered.card;
  // Some type the card's number where its holder belongs, and the processor tells it back.
  const holderName = withoutCardNumber(registered.card.holderName);
  const card = { id, brand, last4, expMonth, expYear, holderName, kind };
  const changed = await replaceCard(db, order, card, now);
  if (changed !== null) return { card, order: changed };
  refuseUnlessAwaitingPayment((await requireOrder(db, order)).state);
  throw new ApiError("payment_in_progress");
}

function refuseUnlessAwaitingPayment(state: OrderState): void {
  if (state === "paying") throw new ApiError("payment_in_progress");
  if (state !== "awaiting_payment") throw new ApiError("order_not_payable");
}
