import { holdOrder } from "../../orders/order-reads.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import { type CollectionKey, isOver } from "../collection-record.ts";
import { lockCollection, updateCollection } from "../collection-store.ts";
import { ANNOUNCE_TIMER, DEADLINE_TIMER } from "../collection-timers.ts";
import { reportRefundedLoan } from "../loan-reports/report-loan.ts";

/** Cancels a collection after a refund if nothing of the deferred part is left to collect. */
export async function cancelIfNothingIsLeft(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  const order = await holdOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await lockCollection(tx, key);
  if (collection === null || collection.state === "collected" || collection.state === "cancelled") return;
  if (!isOver(order)) return;
  await updateCollection(tx, key, { state: "cancelled", dueAt: null, failure: null }, at);
  await reportRefundedLoan(tx, dependencies, order, at);
  for (const kind of [DEADLINE_TIMER, ANNOUNCE_TIMER]) await cancelTimer(tx, { kind, key: key.orderId });
}
