import { findOrder } from "../orders/order-reads.ts";
import { collectableRest } from "../orders/order-record.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type CollectionKey, isOver, openAttemptOf } from "./collection-record.ts";
import { readCollection } from "./collection-store.ts";
import type { EarlyPayment } from "./pay-early.ts";

/**
 * Tells a patient, who has proved who they are, what became of the last charge of the deferred part, whoever asked for it.
 * Never begins one: who looks again has not pressed *pay* again. `none`: nothing has been tried.
 */
export async function inquireEarly(
  db: Database,
  key: CollectionKey,
): Promise<EarlyPayment | { readonly outcome: "none" }> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, id: key.orderId });
  if (collection?.state === "collected") return { outcome: "collected" };
  if (collection !== null && openAttemptOf(collection) !== null) return { outcome: "processing" };
  const isChargeable = collection?.state === "scheduled" || collection?.state === "failed";
  if (collection === null || order === null || !isChargeable || isOver(order)) return { outcome: "nothing_due" };
  // A refund that has not ended claims all that is left: whether something will be due is not known yet.
  if (collectableRest(order) === 0) return { outcome: "processing" };
  const last = collection.attempts.at(-1);
  return last?.state === "declined" && last.declineReason !== null
    ? { outcome: "declined", reason: last.declineReason }
    : { outcome: "none" };
}
