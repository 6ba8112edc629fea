import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Principal } from "../../platform/provider.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { findTransition } from "../order.ts";
import { lockOrder } from "../order-reads.ts";
import type { OrderRecord } from "../order-record.ts";
import { paymentInProgress } from "../refuse-unless-awaiting-payment.ts";
import { EXPIRE_ORDER_TIMER } from "./expire-order.ts";
import { moveOrder } from "./move-order.ts";

/**
 * Cancels an unpaid order and returns it. Throws 409 `payment_in_progress` while a payment is in progress, and 409
 * `order_not_cancellable` in every other state except `pending`.
 */
export async function cancelOrder(
  dependencies: Pick<OrdersDependencies, "db" | "ids" | "related">,
  principal: Principal,
  order: OrderRecord,
  now: Date,
): Promise<OrderRecord> {
  const { db, ids } = dependencies;
  return inTransaction(db, async (tx) => {
    const current = await lockOrder(tx, order);
    if (current.state === "paying") throw await paymentInProgress(tx, order);
    if (findTransition(current.state, "cancel") === null) throw new ApiError("order_not_cancellable");
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: order.providerId,
      actor: `credential:${principal.credential}`,
      credentialId: principal.credentialId,
      act: "order.cancelled",
      subject: { kind: "order", id: order.orderId },
      at: now,
    });
    await cancelTimer(tx, { kind: EXPIRE_ORDER_TIMER, key: order.orderId });
    return moveOrder(tx, dependencies, current, { trigger: "cancel", at: now });
  });
}
