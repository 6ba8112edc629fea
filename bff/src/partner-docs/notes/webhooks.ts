import { DELIVERIES_KEPT_DAYS, WEBHOOK_ATTEMPTS_MAX } from "../../contract/terms.ts";
import type { SchemaNotes } from "./schema-note.ts";

const id = "Id of the endpoint.";
const kinds = "Kinds of events that it receives.";
const endpointFields = {
  id,
  url: "HTTPS URL that receives the events.",
  kinds,
  notify_email: "E-mail address notified when deliveries fail; null if none.",
  paused: "While `true`, deliveries wait.",
  failing_since: "Since when deliveries fail (ISO 8601, UTC); null while they succeed.",
};
const changeFields = {
  url: "HTTPS URL that receives the events. It must be a public address.",
  notify_email: "E-mail address to notify when deliveries fail. Null for none.",
};

export const webhookNotes: SchemaNotes = {
  WebhookEventKind: { description: "Kind of event. More may be added: ignore kinds that you do not know." },
  WebhookEvent: {
    description: "An event of an order, as your endpoint receives it.",
    fields: {
      event_id: "Id of the event. Process each id once: a delivery may be repeated.",
      sequence: "Position among the events of the order. Sort by it.",
      order_hash: "The `hash` of the order.",
      created_at: "When the event happened. ISO 8601, UTC.",
      failure: "With `order.failed` only: why the order can no longer be paid.",
      "failure.message": "Explanation for people, in English.",
      chargeback: "With `chargeback.opened` and `chargeback.closed` only.",
      "chargeback.amount": "What the bank has taken back, in Chilean pesos.",
      "chargeback.outcome": "`won`: the money is back. `lost`: it is not. Null while it is open.",
      refund_id: "With `order.refund_failed` only: the `id` of the refund in `data.order.refunds`.",
      data: "Data of the event.",
      "data.order": "The order at this moment.",
    },
  },
  WebhookEndpoint: {
    description: "A URL that receives events. The service never switches it off.",
    fields: endpointFields,
  },
  WebhookEndpoints: {
    description: "All your endpoints.",
    fields: { webhook_endpoints: "The endpoints, oldest first." },
  },
  CreateWebhookEndpointRequest: {
    description: "A new endpoint.",
    fields: {
      ...changeFields,
      kinds: "Kinds of events to receive. By default every change of status, under its own kind.",
    },
  },
  CreateWebhookEndpointResponse: {
    description: "The endpoint with its secret.",
    fields: { ...endpointFields, secret: "The signing secret. Only this response contains it." },
  },
  ChangeWebhookEndpointRequest: {
    description: "The fields to change. The others stay as they are.",
    fields: {
      ...changeFields,
      kinds: "Kinds of events to receive.",
      paused: "`true` pauses deliveries, `false` resumes them.",
    },
  },
  DeletedWebhookEndpoint: { description: "The endpoint is deleted.", fields: { id, deleted: "Always `true`." } },
  RotateWebhookSecretRequest: {
    description: "How long both secrets sign.",
    fields: { overlap_hours: "Hours during which the old secret also signs. 0 ends it at once." },
  },
  RotateWebhookSecretResponse: {
    description: "The new secret.",
    fields: {
      secret: "The new signing secret. Only this response contains it.",
      previous_secret_ends_at: "When the old secret stops signing. ISO 8601, UTC.",
    },
  },
  WebhookAttempt: {
    description: "One attempt of a delivery.",
    fields: {
      number: `Number of the attempt, from 1 to ${WEBHOOK_ATTEMPTS_MAX}.`,
      started_at: "When it started. ISO 8601, UTC.",
      duration_ms: "Duration in milliseconds; null if it was interrupted.",
      outcome: "`interrupted`: it started and its end was not recorded, so it may have arrived.",
      failure: "Why it failed; null if it succeeded. `internal`: the service could not make the attempt.",
      explanation: "The failure in words, with what to do; null if it succeeded.",
      status: "HTTP status of your response; null if there was none.",
      answer: "Start of your response body; null if there was none.",
    },
  },
  WebhookDelivery: {
    description: `The delivery of one event to one endpoint. Kept ${DELIVERIES_KEPT_DAYS} days after it ended.`,
    fields: {
      id: "Id of the delivery.",
      event: "Kind of event; `endpoint.test` for a test.",
      order_hash: "The `hash` of the order; null for a test.",
      sequence: "Position among the events of the order; null for a test.",
      status: "`pending` until an attempt succeeds or none is left.",
      next_attempt_at: "When the next attempt is due (ISO 8601, UTC); null if none follows.",
      attempts: "The attempts so far, oldest first.",
    },
  },
  WebhookDeliveries: {
    description: "A page of deliveries.",
    fields: {
      deliveries: "The deliveries, newest first.",
      next: "Pass it as `after` for the next page; null on the last.",
    },
  },
  PageLimit: { description: "Entries on a page, 1 to 100. By default 100." },
  ListDeliveriesQuery: {
    fields: {
      after: "The `next` of the previous page.",
      limit: "Deliveries per page.",
      status: "Only deliveries in this state.",
    },
  },
  ReplayWebhooksRequest: {
    description: "One delivery, or all deliveries since a moment.",
    fields: {
      delivery_id: "Id of the delivery to repeat.",
      since: "Repeats all deliveries that ended since then. ISO 8601, UTC.",
      only_failed: "`true`: only failed deliveries.",
    },
  },
  ReplayWebhooksResponse: {
    description: "The deliveries are scheduled.",
    fields: { replayed: "Number of deliveries that are repeated." },
  },
  EventLog: {
    description: "A page of the event log.",
    fields: {
      events: "The events, oldest first.",
      next: "Pass it as `after` to continue, now or later; null if there is no event yet.",
      has_more: "Whether more events exist already.",
    },
  },
  ListEventsQuery: {
    fields: { after: "The `next` of the previous page, or the id of any event.", limit: "Events per page." },
  },
};
