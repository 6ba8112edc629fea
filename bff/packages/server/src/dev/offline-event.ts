import type { WebhookEvent } from "../../../../src/contract/webhook-events.ts";
import events from "./example-events.json" with { type: "json" };

/* Events without a sandbox: the guide's examples, as if they had happened now. */

/** The kinds that partners receive. */
export const EVENT_KINDS = Object.keys(events);

interface Happening {
  readonly id: string;
  /** Default: the example's. */
  readonly reference?: string | undefined;
  readonly now: Date;
}

/** An event of this kind, with all its times moved to now; null if there is no such kind. */
export function offlineEvent(kind: string, { id, reference, now }: Happening): WebhookEvent | null {
  const example = Object.entries(events).find(([one]) => one === kind)?.[1];
  if (example === undefined) return null;
  const later = now.getTime() - Date.parse(example.created_at);
  // The examples come from the contract, and a test parses them.
  const event = movedBy(later, example) as WebhookEvent;
  const { order } = event.data;
  const named = { reference: reference ?? event.reference };
  return { ...event, ...named, event_id: id, data: { order: { ...order, ...named } } };
}

/** The value with each time and day in it moved. */
function movedBy(ms: number, value: unknown): unknown {
  if (typeof value === "string") return movedTime(ms, value);
  if (Array.isArray(value)) return value.map((item) => movedBy(ms, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, movedBy(ms, inner)]));
}

function movedTime(ms: number, text: string): string {
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(text)) return text;
  return new Date(Date.parse(text) + ms).toISOString().slice(0, text.length);
}
