import type { WebhookDeliveryView, WebhookEndpointView } from "../contract/webhooks.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { DeliveryStatus, ShownAttempt, ShownDelivery } from "./webhook-store.ts";

/** An endpoint as its owner reads it. */
export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    kinds: [...endpoint.kinds],
    notify_email: endpoint.notifyEmail,
    paused: endpoint.pausedAt !== null,
    failing_since: endpoint.failingAt?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  };
}

const PUBLISHED: Readonly<Record<DeliveryStatus, WebhookDeliveryView["status"]>> = {
  queued: "pending",
  scheduled: "pending",
  delivered: "delivered",
  exhausted: "failed",
  dropped: "failed",
};

/** A delivery with every attempt. The order's hash is its id. */
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
  return { number, started_at: startedAt.toISOString(), duration_ms: duration, outcome, failure, status, answer };
}
