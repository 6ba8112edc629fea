import type { WebhookEventKind } from "../contract/webhook-events.ts";
import { explain } from "../webhooks/delivery-schedule.ts";
import type { Example } from "./openapi-document.ts";
import { orderHashExample } from "./order-example.ts";

const eventId = "0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44";
const secret = "whsec_dGhpcyBpcyBhIHRlc3Qga2V5IG9mIDMyIGJ5dGVzISE=";
const kinds: readonly WebhookEventKind[] = ["order.paid", "order.refunded", "order.failed", "order.cancelled"];

const webhookEndpoint = {
  id: "4e2c8f31-6d0a-4b7e-8a55-0c1d9f3b2a67",
  url: "https://clinica.example/aapd/webhooks",
  kinds,
  notify_email: "sistemas@clinica.example",
  paused: false,
  failing_since: null,
  created_at: "2026-11-20T12:00:00.000Z",
};

const delivery = {
  id: "b81f0d3e-27c4-4c7b-9f51-5a6d2e8c4017",
  event_id: eventId,
  event: "order.paid",
  order_hash: orderHashExample,
  sequence: 1,
  status: "pending",
  created_at: "2026-11-20T15:08:41.000Z",
  next_attempt_at: "2026-11-20T15:09:51.000Z",
  attempts: [
    {
      number: 1,
      started_at: "2026-11-20T15:08:41.000Z",
      duration_ms: 10_000,
      outcome: "failed",
      failure: "timeout",
      explanation: explain("timeout", null),
      status: null,
      answer: null,
    },
  ],
};

const one = (summary: string, value: unknown): Record<string, Example> => ({ example: { summary, value } });

/**
 * Example requests and responses of the calls that manage webhooks, by operation id. `event` is an event of the log.
 */
export function webhookAdministrationExamples(event: Readonly<Record<string, unknown>>) {
  return {
    createWebhookEndpoint: {
      request: one("For the kinds that a clinic needs", { url: webhookEndpoint.url, kinds }),
      responses: { 201: one("With its secret, shown once", { ...webhookEndpoint, notify_email: null, secret }) },
    },
    listWebhookEndpoints: { responses: { 200: one("One endpoint", { webhook_endpoints: [webhookEndpoint] }) } },
    readWebhookEndpoint: { responses: { 200: one("An endpoint", webhookEndpoint) } },
    changeWebhookEndpoint: {
      request: one("Pause it", { paused: true }),
      responses: { 200: one("Paused", { ...webhookEndpoint, paused: true }) },
    },
    deleteWebhookEndpoint: { responses: { 200: one("Deleted", { id: webhookEndpoint.id, deleted: true }) } },
    rotateWebhookSecret: {
      request: one("The old one lives for a day", { overlap_hours: 24 }),
      responses: { 200: one("The new one", { secret, previous_secret_ends_at: "2026-11-22T12:00:00.000Z" }) },
    },
    testWebhookEndpoint: {
      request: one("Nothing to say", {}),
      responses: {
        202: one("On its way", {
          ...delivery,
          event: "endpoint.test",
          order_hash: null,
          sequence: null,
          next_attempt_at: "2026-11-20T15:08:41.000Z",
          attempts: [],
        }),
      },
    },
    listWebhookDeliveries: {
      responses: { 200: one("One was tried once so far", { deliveries: [delivery], next: null }) },
    },
    replayWebhooks: {
      request: {
        since: { summary: "All since a moment", value: { since: "2026-11-20T00:00:00.000Z", only_failed: true } },
        one: { summary: "One delivery", value: { delivery_id: delivery.id } },
      },
      responses: { 202: one("How many", { replayed: 3 }) },
    },
    listEvents: {
      responses: { 200: one("One event, and nothing after it", { events: [event], next: eventId, has_more: false }) },
    },
  };
}
