import type { WebhookEventKind } from "../contract/webhook-events.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { DomainEvent, EventSubscriptions } from "../platform/outbox.ts";
import { kindsOf, LOGGED_KINDS, webhookIdOf } from "./webhook-body.ts";
import { insertDeliveries, type NewDelivery, selectEarlierUntold, selectEndpoints } from "./webhook-store.ts";

/** Queues every order event for the endpoints of its provider that ask for it (interface, section 6.1). */
export function subscribeWebhooks(
  subscriptions: EventSubscriptions,
  dependencies: { readonly ids: Ids; readonly clock: Clock },
): void {
  for (const kind of LOGGED_KINDS) {
    subscriptions.subscribe(kind, (tx, event) => queueEvent(tx, event, dependencies));
  }
}

async function queueEvent(
  tx: Transaction,
  event: DomainEvent,
  { ids, clock }: { ids: Ids; clock: Clock },
): Promise<void> {
  const endpoints = await selectEndpoints(tx, event.providerId);
  if (endpoints.length === 0) return;
  const queuedAt = clock.now();
  const deliveriesOf = (told: Pick<DomainEvent, "id" | "kind" | "sequence" | "createdAt">): NewDelivery[] =>
    endpoints.flatMap((endpoint) =>
      kindsOf(told)
        .filter((kind: WebhookEventKind) => endpoint.kinds.includes(kind))
        .map((kind) => ({
          id: ids.uuid(),
          providerId: event.providerId,
          endpointId: endpoint.id,
          eventId: told.id,
          webhookId: webhookIdOf(told.id, kind),
          kind,
          orderId: event.orderId,
          sequence: told.sequence,
          createdAt: told.createdAt,
          queuedAt,
        })),
    );
  await insertDeliveries(tx, [...(await earlierEvents(tx, event)), event].flatMap(deliveriesOf));
}

/** Queued together with what comes before them in their order, so that no event overtakes an earlier one here. */
async function earlierEvents(tx: Transaction, { orderId, sequence }: DomainEvent) {
  if (orderId === null || sequence === null || sequence <= 1) return [];
  return selectEarlierUntold(tx, { orderId, sequence });
}
