import { collectionOf } from "../collection/upcoming-charge.ts";
import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import type { CourseKind } from "../contract/webhook-events.ts";
import { type OrderEventPayload, publishOrderNews } from "../orders/order-events.ts";
import { lockOrder } from "../orders/order-reads.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import { type AccessTerms, filingView, readFilingFacts } from "./claim-reads.ts";

type PublishCourseDependencies = AccessTerms & { readonly ids: Ids };

/**
 * Publishes to partners what happens to a paid order: its claim, the access to its insurer, its later charge and its
 * chargebacks. In separate transactions, because claims are locked after their order.
 */
export function publishOrderCourse(events: EventHandlers, dependencies: PublishCourseDependencies): void {
  const publish = (tx: Transaction, event: DomainEvent, kind: CourseKind, chargeback?: Chargeback) =>
    publishCourse(tx, dependencies, event, { kind, chargeback });
  events.subscribe("claim.moved", (tx, event) => publish(tx, event, event.payload.news));
  events.subscribe("collection.captured", (tx, event) => publish(tx, event, "collection.collected"));
  events.subscribe("collection.paid_otherwise", (tx, event) => publish(tx, event, "collection.collected"));
  events.subscribe("collection.declined", (tx, event) => publish(tx, event, "collection.declined"));
  events.subscribe("collection.failed", (tx, event) => publish(tx, event, "collection.failed"));
  events.subscribe("collection.disputed", (tx, event) =>
    publish(tx, event, "chargeback.opened", { amount: event.payload.amount, outcome: null }),
  );
  events.subscribe("collection.dispute_closed", (tx, event) => {
    const { amount, outcome } = event.payload;
    return publish(tx, event, "chargeback.closed", { amount, outcome });
  });
}

type Chargeback = OrderEventPayload["chargeback"];

async function publishCourse(
  tx: Transaction,
  { ids, takesInsurerAccess }: PublishCourseDependencies,
  { providerId, orderId, createdAt: at }: DomainEvent,
  { kind, chargeback }: { readonly kind: CourseKind; readonly chargeback: Chargeback },
): Promise<void> {
  if (orderId === null || !isOrderId(orderId)) return;
  const order = await lockOrder(tx, { providerId, orderId });
  const filing = await readFilingFacts(tx, order, { takesInsurerAccess });
  const expense = filing.expense && { id: filing.expense.id, status: filing.expense.status };
  const related = { expense, collection: await collectionOf(tx, order), ...filingView(filing) };
  const about = chargeback === undefined ? {} : { chargeback };
  await publishOrderNews(tx, ids, order, { kind: `news.${kind}`, ...about, related, at });
}
