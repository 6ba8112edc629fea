/* The mandate for the later charge. The patient may revoke it while the debt stays, and may give another card. */

import type { FailedRefund } from "../orders/dependencies.ts";
import { lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { type CollectionKey, cardOf, dueOf, hasEnded, isMandateRevoked } from "./collection.ts";
import { publishCollectionEvent } from "./collection-events.ts";
import { lockCollection, updateCollection, writeRevoked } from "./collection-store.ts";
import { fallInArrears, publishDueWithoutMandate } from "./loan-reports/report-loan.ts";
import { type LaterCharge, readLaterCharge } from "./upcoming-charge.ts";

/**
 * Revokes the mandate for upcoming charges of an order. The card is never charged again, except by a charge in
 * progress. The debt stays: a due collection fails, and any other waits for its day. Repeating the call changes
 * nothing. Returns whether there was a mandate.
 */
export async function revokeMandate(
  tx: Transaction,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<boolean> {
  const order = await lockOrder(tx, key);
  const collection = await lockCollection(tx, key);
  if (collection === null || hasEnded(collection) || isMandateRevoked(collection, order)) return false;
  const revokedCardId = cardOf(collection, order).id;
  await writeRevoked(tx, key, revokedCardId, at);
  if (collection.trigger !== null && collection.state === "scheduled") {
    await updateCollection(tx, key, { state: "failed", dueAt: null, failure: "mandate_revoked" }, at);
    await fallInArrears(tx, { ids, clock }, order, at);
  }
  const due = dueOf(order);
  // While a refund claims everything, the patient is notified only if it fails (`notifyOwedAgain`).
  if (due.amount === 0) return true;
  const payload = { order_hash: key.orderId, ...due };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.mandate_revoked", payload }, at);
  return true;
}

/**
 * Notifies a patient who revoked the mandate of the debt that a failed refund leaves. Publishes nothing if they were
 * notified of this debt before, and the refund was refused in the answer to its request.
 */
export async function notifyOwedAgain(
  tx: Transaction,
  { ids }: { readonly ids: Ids },
  { providerId, orderId, requestedAt, released, wasAnswered, at }: FailedRefund,
): Promise<void> {
  const order = await lockOrder(tx, { providerId, orderId });
  const collection = await lockCollection(tx, { providerId, orderId });
  if (released === 0 || collection === null || hasEnded(collection) || !isMandateRevoked(collection, order)) return;
  const changedAt = [collection.revokedAt, order.deferredFailedAt];
  if (!wasAnswered && !changedAt.some((changed) => changed !== null && changed >= requestedAt)) return;
  await publishDueWithoutMandate(tx, ids, order, { isRefundFailed: true, at });
}

/**
 * Whether the patient of a paid order has revoked the mandate for upcoming charges. Before the collection starts, the
 * withdrawn consent decides.
 */
export async function hasRevokedMandate(db: Database, order: OrderRecord): Promise<boolean> {
  return isRevokedIn(await readLaterCharge(db, order), order);
}

/** `hasRevokedMandate` for a loaded later charge. */
export function isRevokedIn({ collection, isWithdrawn }: LaterCharge, order: OrderRecord): boolean {
  if (dueOf(order).amount === 0) return false;
  return collection === null ? isWithdrawn : isMandateRevoked(collection, order);
}
