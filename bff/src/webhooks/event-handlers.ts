import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import { queueForEndpoints, selectEarlierUndispatched, type ToldEvent } from "./delivery-queue-store.ts";
import { kindsOf, LOGGED_KINDS, webhookIdOf } from "./webhook-body.ts";

/** Queues every order event for the endpoints of its provider that ask for it. */
export function handleWebhookEvents(subscriptions: EventHandlers, dependencies: { readonly clock: Clock }): void {
  subscriptions.subscribeTogether(LOGGED_KINDS, (tx, events) => queueEvents(tx, events, dependencies));
}

async function queueEvents(
  tx: Transaction,
  events: readonly DomainEvent[],
  { clock }: { readonly clock: Clock },
): Promise<void> {
  // Queued together with what comes before them in their order, so that no event overtakes an earlier one here.
  const told = [...(await selectEarlierUndispatched(tx, laterOf(events))), ...events];
  const deliveries = told.flatMap((event) =>
    kindsOf(event).map((kind) => ({ event, kind, webhookId: webhookIdOf(event.id, kind) })),
  );
  await queueForEndpoints(tx, deliveries, clock.now());
}

/** Those that may have an earlier one in their order. */
function laterOf(events: readonly ToldEvent[]): Array<{ orderId: string; sequence: number }> {
  return events.flatMap(({ orderId, sequence }) =>
    orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],
  );
}
