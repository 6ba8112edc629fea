import type * as z from "zod/mini";
import { PAGE_MAX } from "../contract/vocabulary/page.ts";
import type { WebhookEvent } from "../contract/webhook-events.ts";
import type { listEventsQuerySchema } from "../contract/webhooks.ts";
import type { Database } from "../platform/database/transaction.ts";
import { readEvent, readEventLog } from "../platform/event-store.ts";
import { unknownPlace } from "../platform/http/list-page.ts";
import { isOrderEvent, publishedKind, webhookBody } from "./webhook-body.ts";

/** The maximum number of log entries that one page searches for order events. */
const LOOKED_AT_MAX = 500;

/**
 * One page of a provider's order events, oldest first and without gaps, as their webhooks contained them. `next` is the
 * `after` of the next page, which may also be read later. Throws 422 if `after` is not an event of the provider.
 */
export async function readEvents(
  db: Database,
  providerId: string,
  query: z.output<typeof listEventsQuerySchema>,
): Promise<{ events: WebhookEvent[]; next: string | null; has_more: boolean }> {
  const limit = Number(query.limit ?? PAGE_MAX);
  let next = query.after ?? null;
  if (next !== null && (await readEvent(db, next))?.providerId !== providerId) throw unknownPlace();
  const events: WebhookEvent[] = [];
  for (;;) {
    const log = await readEventLog(db, { providerId, afterId: next, limit: LOOKED_AT_MAX });
    for (const event of log) {
      if (isOrderEvent(event)) {
        if (events.length === limit) return { events, next, has_more: true };
        events.push(webhookBody(event, publishedKind(event.kind)));
      }
      next = event.id;
    }
    if (log.length < LOOKED_AT_MAX) return { events, next, has_more: false };
  }
}
