import * as z from "zod/mini";
import { timestampSchema } from "./orders.ts";
import { OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX } from "./terms.ts";
import { emailSchema } from "./vocabulary/email.ts";
import { pageLimitSchema } from "./vocabulary/page.ts";
import { webhookEventKindSchema, webhookEventSchema } from "./webhook-events.ts";

export const ENDPOINT_URL_LENGTH_MAX = 2_000;
/** The maximum number of endpoints of one provider. */
export const ENDPOINTS_MAX = 20;

const urlSchema = z.string().check(z.trim(), z.minLength(1), z.maxLength(ENDPOINT_URL_LENGTH_MAX));
const kindsSchema = z.array(webhookEventKindSchema).check(z.minLength(1), z.maxLength(20));

/**
 * An address where a partner receives events. The service never switches it off; `failing_since` shows that deliveries
 * fail.
 */
export const webhookEndpointSchema = z.object({
  id: z.uuid(),
  url: z.string(),
  kinds: z.array(webhookEventKindSchema),
  notify_email: z.nullable(z.string()),
  paused: z.boolean(),
  failing_since: z.nullable(timestampSchema),
  created_at: timestampSchema,
});
export type WebhookEndpointView = z.infer<typeof webhookEndpointSchema>;

/**
 * Without `kinds`: each change of the status, under its own kind. The other kinds are only sent to endpoints that
 * subscribe to them.
 */
export const createWebhookEndpointRequestSchema = z.object({
  url: urlSchema,
  kinds: z.optional(kindsSchema),
  notify_email: z.optional(z.nullable(emailSchema)),
});

/** Only this response contains the secret. */
export const createWebhookEndpointResponseSchema = z.object({ ...webhookEndpointSchema.shape, secret: z.string() });

export const changeWebhookEndpointRequestSchema = z.object({
  url: z.optional(urlSchema),
  kinds: z.optional(kindsSchema),
  notify_email: z.optional(z.nullable(emailSchema)),
  paused: z.optional(z.boolean()),
});
export const webhookEndpointsSchema = z.object({ webhook_endpoints: z.array(webhookEndpointSchema) });
export const deletedWebhookEndpointSchema = z.object({ id: z.uuid(), deleted: z.literal(true) });

export const rotateWebhookSecretRequestSchema = z.object({
  overlap_hours: z._default(z.int().check(z.gte(0), z.lte(OVERLAP_HOURS_MAX)), OVERLAP_HOURS_DEFAULT),
});
export const rotateWebhookSecretResponseSchema = z.object({
  secret: z.string(),
  previous_secret_ends_at: timestampSchema,
});

/**
 * One attempt of a delivery. `interrupted`: it began and never ended, so it is unknown whether it arrived. `internal`:
 * the service could not make the attempt, which says nothing about the receiver.
 */
export const webhookAttemptSchema = z.object({
  number: z.int(),
  started_at: timestampSchema,
  duration_ms: z.nullable(z.int()),
  outcome: z.enum(["succeeded", "failed", "interrupted"]),
  failure: z.nullable(
    z.enum(["timeout", "dns", "refused", "tls", "network", "redirect", "status", "url_refused", "internal"]),
  ),
  /** The failure in words, with what to do about it. */
  explanation: z.nullable(z.string()),
  status: z.nullable(z.int()),
  /** The beginning of the receiver's response. */
  answer: z.nullable(z.string()),
});

export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

export const webhookDeliverySchema = z.object({
  id: z.uuid(),
  event_id: z.uuid(),
  event: z.union([webhookEventKindSchema, z.literal("endpoint.test")]),
  order_hash: z.nullable(z.string()),
  sequence: z.nullable(z.int()),
  status: z.enum(["pending", "delivered", "failed"]),
  created_at: timestampSchema,
  next_attempt_at: z.nullable(timestampSchema),
  attempts: z.array(webhookAttemptSchema),
});
export type WebhookDeliveryView = z.infer<typeof webhookDeliverySchema>;

/** `after` is the `next` of the previous page. */
export const listDeliveriesQuerySchema = z.object({
  after: z.optional(z.uuid()),
  limit: pageLimitSchema,
  status: z.optional(z.enum(["pending", "delivered", "failed"])),
});
/** Newest first; `next` is null on the last page. */
export const webhookDeliveriesSchema = z.object({
  deliveries: z.array(webhookDeliverySchema),
  next: z.nullable(z.uuid()),
});

/** Repeats one delivery, or all since a moment. */
export const replayWebhooksRequestSchema = z.union([
  z.object({ delivery_id: z.uuid() }),
  z.object({ since: timestampSchema, only_failed: z._default(z.boolean(), false) }),
]);
export const replayWebhooksResponseSchema = z.object({ replayed: z.int() });

/** `after` is the `next` of the previous page, or the id of any event. */
export const listEventsQuerySchema = z.object({ after: z.optional(z.uuid()), limit: pageLimitSchema });
/** Oldest first. `next` is the id to continue from, now or later; `has_more`: whether more events exist already. */
export const eventLogSchema = z.object({
  events: z.array(webhookEventSchema),
  next: z.nullable(z.uuid()),
  has_more: z.boolean(),
});
