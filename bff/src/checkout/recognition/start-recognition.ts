import type { StartRecognitionResponse } from "../../contract/orders.ts";
import { CODE_RESEND_PAUSE_SECONDS } from "../../contract/terms.ts";
import { isPayable } from "../../orders/order.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { codeExpiry, RESEND_PAUSE_MS, requirePause } from "../issue-code.ts";
import { insertRecognition, readAsked } from "./recognition-store.ts";

/** Decides whether the patient is known, and sends the code if so. */
export const SEND_RECOGNITION_TIMER = "recognition.send";

export interface StartRecognitionDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
}

/**
 * Records that a code was requested with an order. Neither patient nor card is looked up here, so that a request does
 * the same work, in the same time, for everyone. A timer decides. Throws `order_not_payable`, and `rate_limited`
 * between two codes of the order.
 */
export async function startRecognition(
  { db, ids, clock }: StartRecognitionDependencies,
  {
    order,
    askedCard,
    now,
  }: {
    readonly order: OrderRecord;
    /** The saved card that the code is to be for; null if the service chooses. */
    readonly askedCard: string | null;
    readonly now: Date;
  },
): Promise<StartRecognitionResponse> {
  if (!isPayable(order.state)) throw new ApiError("order_not_payable");
  const { providerId, orderId } = order;
  const id = ids.uuid();
  const expiresAt = codeExpiry(now);
  await inTransaction(db, async (tx) => {
    const requested = await readAsked(tx, order);
    const times = requested.map(({ at }) => at);
    requirePause(times, now, requested.at(-1)?.isAnswered);
    const number = requested.length + 1;
    if (!(await insertRecognition(tx, { id, providerId, orderId, number, askedCard, createdAt: now, expiresAt })))
      throw new ApiError("rate_limited", { retry_after_seconds: CODE_RESEND_PAUSE_SECONDS });
    const timer = { kind: SEND_RECOGNITION_TIMER, key: id, providerId, dueAt: clock.now() };
    await scheduleTimer(tx, { ...timer, payload: { order_id: orderId } });
  });
  return { expires_at: expiresAt.toISOString(), resend_after: new Date(now.getTime() + RESEND_PAUSE_MS).toISOString() };
}
