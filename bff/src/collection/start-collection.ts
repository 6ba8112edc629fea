import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { lockOrder } from "../orders/order-reads.ts";
import { isLaterChargeWithdrawn } from "../patients/consents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { DomainEvent } from "../platform/outbox.ts";
import { realMoment } from "../platform/provider.ts";
import { spreadFrom } from "../platform/spread.ts";
import { cancelTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import { requireProvider } from "../tenants/providers.ts";
import { announcementOf, type CollectionKey, deadlineOf, isOver } from "./collection.ts";
import { insertCollection, lockCollection, updateCollection } from "./collection-store.ts";
import { ANNOUNCE_TIMER, DAILY_TIMER, DEADLINE_TIMER, orderTimer } from "./collection-timers.ts";
import { nextDailySync } from "./daily-sync.ts";
import { reportRefundedLoan } from "./loan-reports/report-loan.ts";
import { revokeMandate } from "./mandate.ts";

/** Cancels a collection after a refund if nothing of the deferred part is left to collect. */
export async function cancelIfNothingIsLeft(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await lockCollection(tx, key);
  if (collection === null || collection.state === "collected" || collection.state === "cancelled") return;
  if (!isOver(order)) return;
  await updateCollection(tx, key, { state: "cancelled", dueAt: null, failure: null }, at);
  await reportRefundedLoan(tx, dependencies, order, at);
  for (const kind of [DEADLINE_TIMER, ANNOUNCE_TIMER]) await cancelTimer(tx, { kind, key: key.orderId });
}

/**
 * Starts the collection of a paid order, with the timers of day 45. Repeated events have no effect. If events arrive in
 * reverse and the order is already fully refunded, the collection ends at once. If its patient has withdrawn the later
 * charge meanwhile, the mandate is revoked at once.
 */
export async function startCollection(
  tx: Transaction,
  dependencies: { readonly ids: Ids; readonly clock: Clock },
  event: DomainEvent,
): Promise<void> {
  const key = orderOf(event);
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  if (order.paidAt === null) throw new OrderNotPaid("An order reported as paid is not paid.");
  const { paidAt } = order;
  const dueAt = deadlineOf(paidAt);
  if (!(await insertCollection(tx, { ...key, paidAt, dueAt }))) return;
  const provider = await requireProvider(tx, key.providerId);
  await scheduleTimers(tx, [
    // Orders paid on the same day are all due at 09:00, so their timers are spread over the hour.
    orderTimer(ANNOUNCE_TIMER, provider, key, spreadFrom(announcementOf(paidAt), key.orderId)),
    orderTimer(DEADLINE_TIMER, provider, key, spreadFrom(dueAt, key.orderId)),
    {
      kind: DAILY_TIMER,
      key: provider.id,
      providerId: provider.id,
      dueAt: realMoment(provider, nextDailySync(paidAt, provider.id)),
      payload: {},
    },
  ]);
  await cancelIfNothingIsLeft(tx, dependencies, key, event.createdAt);
  // The patient may withdraw the consent after the payment, before there is a collection to stop.
  if (await isLaterChargeWithdrawn(tx, { ...key, rut: order.customer.rut }))
    await revokeMandate(tx, dependencies, key, event.createdAt);
}

/** The order of an event. */
export function orderOf({ providerId, orderId }: DomainEvent): CollectionKey {
  if (orderId === null || !isOrderId(orderId)) throw new OrderNotPaid("An event of an order does not name it.");
  return { providerId, orderId };
}

/** Thrown when an event contradicts the stored order: a defect. */
class OrderNotPaid extends Error {
  override readonly name = "OrderNotPaid";
  readonly code = "order_not_paid";
}
