import { createHash } from "node:crypto";
import { COURSE_KINDS, type WebhookEvent, type WebhookEventKind } from "../contract/webhook-events.ts";
import type { CourseNewsKind } from "../orders/order.ts";
import type { OrderEventPayload } from "../orders/order-events.ts";
import type { StoredEvent } from "../platform/outbox.ts";

/** An order's event as `orders` stored it in the log. Partners receive the whole payload. */
export interface OrderEvent extends StoredEvent {
  readonly payload: OrderEventPayload;
}

/** The fields of an event that a webhook contains. */
export type PublishedEvent = Pick<OrderEvent, "id" | "createdAt" | "sequence" | "payload">;

/** The kinds that an endpoint receives unless it chooses others: each change of the status once, under its own kind. */
export const DEFAULT_KINDS = [
  "order.paid",
  "order.partially_paid",
  "order.refunded",
  "order.failed",
  "order.cancelled",
] as const satisfies readonly WebhookEventKind[];

/** The order events that the log contains. `order.changed` is derived from them for endpoints that subscribe to it. */
export const LOGGED_KINDS = [
  ...DEFAULT_KINDS,
  "order.receipt_missing",
  "order.refund_failed",
  ...COURSE_KINDS.map((kind) => `news.${kind}` as const),
] as const;
type LoggedKind = (typeof LOGGED_KINDS)[number];

function isLoggedKind(kind: string): kind is LoggedKind {
  return LOGGED_KINDS.some((logged) => logged === kind);
}

/** True if partners receive this event of the log. */
export function isOrderEvent(event: StoredEvent): event is OrderEvent & { kind: LoggedKind } {
  return isLoggedKind(event.kind) && typeof event.payload === "object" && event.payload !== null;
}

/** The kind as which partners receive an event of the log. */
export function publishedKind(kind: LoggedKind): WebhookEventKind {
  return COURSE_KINDS.find((course) => `news.${course}` === kind) ?? (kind as Exclude<LoggedKind, CourseNewsKind>);
}

/** The kinds as which an event is delivered: its own, and `order.changed` if the order's status changed with it. */
export function kindsOf(event: Pick<StoredEvent, "kind">): WebhookEventKind[] {
  if (!isLoggedKind(event.kind)) return [];
  const kind = publishedKind(event.kind);
  return CHANGES_NOTHING.includes(kind) ? [kind] : [kind, "order.changed"];
}

const CHANGES_NOTHING: readonly WebhookEventKind[] = [
  "order.failed",
  "order.receipt_missing",
  "order.refund_failed",
  ...COURSE_KINDS,
];

/**
 * The permanent id of an event when it is delivered as a kind. Its own kind uses the event's id; `order.changed` has a
 * different id, so that a receiver subscribed to both does not take one for a repeat of the other.
 */
export function webhookIdOf(eventId: string, kind: WebhookEventKind): string {
  return kind === "order.changed" ? derivedId(eventId, kind) : eventId;
}

/** A version-8 UUID derived from another UUID and a word. */
function derivedId(id: string, word: string): string {
  const bytes = createHash("sha256").update(`${word}:${id}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The body of a webhook. The same event and kind give the same bytes in every attempt. */
export function webhookBody(event: PublishedEvent, kind: WebhookEventKind): WebhookEvent {
  const { reference, order_hash, status, failure, refund_id, chargeback, order } = event.payload;
  return {
    event_id: webhookIdOf(event.id, kind),
    event: kind,
    created_at: event.createdAt.toISOString(),
    sequence: event.sequence ?? 0,
    reference,
    order_hash,
    status,
    ...(failure === undefined ? {} : { failure }),
    ...(kind === "order.refund_failed" && refund_id !== undefined ? { refund_id } : {}),
    ...(chargeback === undefined ? {} : { chargeback }),
    data: { order },
  };
}
