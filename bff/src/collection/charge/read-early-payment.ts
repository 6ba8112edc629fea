import { findOrder } from "../../orders/orders/order-reads.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { type CollectionKey, openAttemptOf } from "../collection-record.ts";
import { readCollection } from "../collection-store.ts";
import { type EarlyPayment, isChargeable } from "./pay-early.ts";

/**
 * Returns the outcome of the last charge of the deferred part, whether the patient or the mandate caused it; the
 * patient's identity has been proved before. It never starts a charge: reloading the page must not pay again. `none`:
 * nothing has been tried.
 */
export async function inquireEarly(
  db: Database,
  key: CollectionKey,
): Promise<EarlyPayment | { readonly outcome: "none" }> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  if (collection?.state === "collected") return { outcome: "collected" };
  if (collection !== null && openAttemptOf(collection) !== null) return { outcome: "processing" };
  if (collection === null || order === null) return { outcome: "nothing_due" };
  if (!(await isChargeable(db, collection, order))) return { outcome: "nothing_due" };
  const last = collection.attempts.at(-1);
  return last?.state === "declined" && last.declineReason !== null
    ? { outcome: "declined", reason: last.declineReason }
    : { outcome: "none" };
}
