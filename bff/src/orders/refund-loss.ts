import { type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { refundIdOf } from "./derived-ids.ts";
import { lockOrder } from "./order-reads.ts";
import { refundableRest } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { claimAmounts } from "./refunds/claim-amounts.ts";
import { allocateLoss } from "./refunds/refund-allocation.ts";
import { insertRefund } from "./refunds/refund-store.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { orderPayload } from "./timer-payload.ts";

/** Placeholder for the caller of a refund that no clinic requested. */
const OPERATOR = "00000000-0000-0000-0000-000000000000";

/**
 * Refunds the amount that the patient's bank took back for good and no refund has claimed, with its commission. The
 * refund's timer ends and reports it. Returns the price; 0 if there was nothing to refund.
 */
export async function refundLoss(
  tx: Transaction,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  key: OrderKey,
  at: Date,
): Promise<Clp> {
  const order = await lockOrder(tx, key);
  const loss = { rest: refundableRest(order), accepted: order.refundAccepted };
  const { price: amount, movements } = allocateLoss(order, loss);
  if (amount === 0) return ZERO;
  const number = order.refunds.length + 1;
  const refundId = refundIdOf(key.orderId, { refundReference: null, keyHash: null, number, amount });
  await insertRefund(tx, {
    key: { ...key, refundId },
    number,
    amount,
    wholeRest: false,
    allocated: true,
    reason: "chargeback",
    refundReference: null,
    keyHash: null,
    createdBy: OPERATOR,
    lease: null,
    at,
  });
  await claimAmounts(tx, { ids, clock }, order, { refundId, amount, movements, at });
  await scheduleTimer(tx, {
    kind: SETTLE_REFUND_TIMER,
    key: refundId,
    providerId: key.providerId,
    dueAt: clock.now(),
    payload: orderPayload(key.orderId),
  });
  return amount;
}
