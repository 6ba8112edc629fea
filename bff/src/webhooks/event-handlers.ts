import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import { type LoggedEvent, queueForEndpoints, selectEarlierUndispatched } from "./delivery-queue-store.ts";
import { kindsOf, LOGGED_KINDS, webhookIdOf } from "./webhook-body.ts";

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

/** The events that may have an earlier one in their order. */
function laterOf(events: readonly LoggedEvent[]): Array<{ orderId: string; sequence: number }> {
  return events.flatMap(({ orderId, sequence }) =>
    orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],
  );
}
