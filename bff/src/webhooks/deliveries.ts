import type * as z from "zod/mini";
import { PAGE_MAX } from "../contract/vocabulary/page.ts";
import type {
  listDeliveriesQuerySchema,
  replayWebhooksRequestSchema,
  WebhookDeliveryView,
} from "../contract/webhooks.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { pageOf, unknownPlace } from "../platform/http/list-page.ts";
import { requestTime } from "../platform/http/request-time.ts";
import { queueTest, replayDeliveries, selectDeliveryLag } from "./delivery-queue-store.ts";
import { explain } from "./delivery-schedule.ts";
import {
  type DeliveryStatus,
  hasDelivery,
  type ShownAttempt,
  type ShownDelivery,
  selectDeliveries,
} from "./delivery-store.ts";
import { type ActingParty, auditEndpoint, type WebhookOperations } from "./endpoints.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

/* Reading the deliveries of an endpoint, sending them again, and sending a test. */

const STATUSES = {
  pending: ["queued", "scheduled"],
  delivered: ["delivered"],
  failed: ["exhausted"],
} as const;
const ALL_STATUSES = [...STATUSES.pending, ...STATUSES.delivered, ...STATUSES.failed];

/** One page of an endpoint's deliveries, newest first. Throws 422 if `after` is not one of its deliveries. */
export async function readDeliveries(
  db: Database,
  { id: endpointId }: WebhookEndpoint,
  query: z.output<typeof listDeliveriesQuerySchema>,
): Promise<{ deliveries: ShownDelivery[]; next: string | null }> {
  const after = query.after ?? null;
  if (after !== null && !(await hasDelivery(db, endpointId, after))) throw unknownPlace();
  const limit = Number(query.limit ?? PAGE_MAX);
  const statuses = query.status === undefined ? ALL_STATUSES : STATUSES[query.status];
  const found = await selectDeliveries(db, { endpointId, after, statuses, limit: limit + 1 });
  const { entries: deliveries, next } = pageOf(found, limit);
  return { deliveries, next };
}

const ENDED = ["delivered", "exhausted"] as const;

/**
 * Sends ended deliveries again, under the same ids and with the whole schedule; unfinished ones are left alone. Returns
 * the number queued. Throws 404 `delivery_not_found`, 422 `validation_error`.
 */
export async function replayWebhooks(
  operations: Pick<WebhookOperations, "db" | "clock" | "ids" | "wake">,
  by: ActingParty,
  { id: endpointId }: Pick<WebhookEndpoint, "id">,
  body: z.output<typeof replayWebhooksRequestSchema>,
): Promise<number> {
  const at = operations.clock.now();
  const wanted =
    "delivery_id" in body
      ? { deliveryId: body.delivery_id, since: new Date(0), statuses: ENDED }
      : {
          deliveryId: null,
          since: requestTime("since", body.since),
          statuses: body.only_failed ? (["exhausted"] as const) : ENDED,
        };
  const { deliveryId } = wanted;
  if (deliveryId !== null && !(await hasDelivery(operations.db, endpointId, deliveryId)))
    throw new ApiError("delivery_not_found");
  const replayed = await inTransaction(operations.db, async (tx) => {
    await auditEndpoint(tx, operations, by, { act: "webhook_endpoint.replayed", endpointId });
    return replayDeliveries(tx, { ...wanted, endpointId, at });
  });
  operations.wake();
  return replayed;
}

/**
 * Queues an `endpoint.test` event for one endpoint, even if the endpoint has not subscribed to that kind. `now` is in
 * the provider's time.
 */
export async function sendTest(
  { db, clock, ids, wake }: WebhookOperations,
  { id: endpointId, providerId }: WebhookEndpoint,
  now: Date,
): Promise<ShownDelivery> {
  const test = { id: ids.uuid(), webhookId: ids.uuid(), createdAt: now };
  await queueTest(db, { ...test, providerId, endpointId, queuedAt: clock.now() });
  wake();
  const shown = { kind: "endpoint.test", orderId: null, sequence: null, status: "queued" } as const;
  return { ...test, ...shown, nextAttemptAt: now, attempts: [] };
}

const PUBLISHED: Readonly<Record<DeliveryStatus, WebhookDeliveryView["status"]>> = {
  queued: "pending",
  scheduled: "pending",
  delivered: "delivered",
  exhausted: "failed",
  dropped: "failed",
};

/** A delivery with all its attempts, as partners see it. */
export function deliveryView(delivery: ShownDelivery): WebhookDeliveryView {
  return {
    id: delivery.id,
    event_id: delivery.webhookId,
    event: delivery.kind,
    order_hash: delivery.orderId,
    sequence: delivery.sequence,
    status: PUBLISHED[delivery.status],
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(attemptView),
  };
}

function attemptView(attempt: ShownAttempt): WebhookDeliveryView["attempts"][number] {
  const { number, startedAt, endedAt, outcome, failure, status, answer } = attempt;
  const duration = endedAt === null ? null : Math.max(0, endedAt.getTime() - startedAt.getTime());
  const explanation = failure === null ? null : explain(failure, status);
  const started_at = startedAt.toISOString();
  return { number, started_at, duration_ms: duration, outcome, failure, explanation, status, answer };
}

/**
 * How many seconds the oldest delivery to an endpoint that is not paused has waited for an attempt; null if none waits.
 */
export function deliveryLag({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number | null> {
  return selectDeliveryLag(db, clock.now());
}
