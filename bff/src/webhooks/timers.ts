import * as z from "zod";
import type { Messenger } from "../gateways/messenger/port.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { TimerHandler, TimerHandlers } from "../platform/timers/timer-worker.ts";
import { failingKind } from "./attempt-recorder.ts";
import { queueScheduled } from "./delivery-queue-store.ts";
import { retryKind } from "./delivery-schedule.ts";
import { findFailing, markFailing } from "./endpoint-store.ts";
import { failingNotification } from "./failing-notification.ts";

export interface WebhookTimerDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly messenger: Pick<Messenger, "sendEmail">;
  /** Called when a delivery has been put back into the queue. */
  readonly wake: () => void;
}

export function webhookTimerHandlers(dependencies: WebhookTimerDependencies): TimerHandlers {
  return { [retryKind]: retry(dependencies), [failingKind]: notifyFailing(dependencies) };
}

const retryPayloadSchema = z.object({ delivery_id: z.uuid() });

/** Queues a delivery whose next attempt is due. */
function retry({ db, clock, wake }: WebhookTimerDependencies): TimerHandler {
  return async (timer, { finish }) => {
    const { delivery_id } = retryPayloadSchema.parse(timer.payload);
    await inTransaction(db, async (tx) => {
      await finish(tx);
      await queueScheduled(tx, delivery_id, clock.now());
    });
    wake();
    return "done";
  };
}

const failingPayloadSchema = z.object({ endpoint_id: z.uuid(), since: z.iso.datetime() });
const NOTIFICATION_RETRY_MS = 60_000;

/**
 * Marks an endpoint that has failed for days without any success, and notifies its owner. The endpoint is not disabled.
 */
function notifyFailing({ db, clock, messenger }: WebhookTimerDependencies): TimerHandler {
  return async (timer, { finish }) => {
    const { endpoint_id: id, since: text } = failingPayloadSchema.parse(timer.payload);
    const since = new Date(text);
    const failing = await findFailing(db, { id, since });
    if (failing === null) return "done";
    const sent = await messenger.sendEmail({
      messageId: `webhook-failing:${id}:${text}`,
      providerId: timer.providerId,
      email: failingNotification(failing, since),
    });
    const at = clock.now();
    if (sent.outcome === "unknown") return { again: new Date(at.getTime() + NOTIFICATION_RETRY_MS) };
    await inTransaction(db, async (tx) => {
      await finish(tx);
      await markFailing(tx, { id, since, at });
    });
    return "done";
  };
}
