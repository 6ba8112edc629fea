import * as z from "zod";
import { DELIVERIES_KEPT_DAYS } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Email, Messenger } from "../gateways/messenger.ts";
import { plainEmail } from "../notifications/mail-layout.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import { purgeInBatches } from "../platform/purge.ts";
import type { TimerHandler, TimerHandlers } from "../platform/timers/timer-worker.ts";
import { failingKind } from "./attempt-recorder.ts";
import { deleteEnded, FIRST_PLACE, selectAllEndpointIds } from "./delivery-purge-store.ts";
import {
  type LoggedEvent,
  queueForEndpoints,
  queueScheduled,
  selectEarlierUndispatched,
} from "./delivery-queue-store.ts";
import { retryKind } from "./delivery-schedule.ts";
import { findFailing, markFailing } from "./endpoint-store.ts";
import { kindsOf, LOGGED_KINDS, webhookIdOf } from "./webhook-body.ts";

/** The mail to the owner of an endpoint that has failed for days without any success. */
function failingNotification(
  { url, notifyEmail, providerName }: { url: string; notifyEmail: string; providerName: string },
  since: Date,
): Email {
  const host = new URL(url).host;
  return plainEmail({
    to: notifyEmail,
    subject: `Webhook endpoint failing: ${host}`,
    paragraphs: [
      `Your webhook endpoint at ${host} (${providerName}) has answered no event with a 2xx since ${since.toISOString()}.`,
      "It stays switched on, and new events are still sent to it.",
      "Once it works again, replay what it missed (POST /api/webhook_endpoints/{id}/replay) or read the log (GET /api/events).",
    ],
  });
}

interface WebhookTimerDependencies {
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

/** Queues every order event for the endpoints of its provider that subscribe to it. */
export function handleWebhookEvents(events: EventHandlers, dependencies: { readonly clock: Clock }): void {
  events.subscribeTogether(LOGGED_KINDS, (tx, happened) => queueEvents(tx, happened, dependencies));
}

async function queueEvents(
  tx: Transaction,
  events: readonly LoggedEvent[],
  { clock }: { readonly clock: Clock },
): Promise<void> {
  // Earlier events of the same orders are queued together with these, so that no event overtakes an earlier one.
  const all = [...(await selectEarlierUndispatched(tx, laterOf(events))), ...events];
  const deliveries = all.flatMap((event) =>
    kindsOf(event).map((kind) => ({ event, kind, webhookId: webhookIdOf(event.id, kind) })),
  );
  await queueForEndpoints(tx, deliveries, clock.now());
}

/** The events that may follow an earlier one of their order. */
function laterOf(events: readonly LoggedEvent[]): Array<{ orderId: string; sequence: number }> {
  return events.flatMap(({ orderId, sequence }) =>
    orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],
  );
}

export const DELIVERIES_KEPT_MS = DELIVERIES_KEPT_DAYS * DAY_MS;

/**
 * Deletes deliveries that ended long ago, with their attempts. Waiting ones stay, however old they are: an endpoint may
 * be paused for any length of time. The events stay in the log. Returns how many deliveries there were.
 */
export async function purgeDeliveries({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<number> {
  const before = new Date(clock.now().getTime() - DELIVERIES_KEPT_MS);
  let count = 0;
  for (const endpointId of await selectAllEndpointIds(db)) {
    let after = FIRST_PLACE;
    await purgeInBatches(async (limit) => {
      const page = await deleteEnded(db, { endpointId, before, after, limit });
      after = page.last;
      count += page.deleted;
      return page.passed;
    });
  }
  return count;
}
