import { findOrder } from "../../orders/orders/order-reads.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { type CollectionKey, openAttemptOf } from "../collection-record.ts";
import { readCollection } from "../collection-store.ts";
import { type EarlyPayment, isChargeable } from "./pay-early.ts";

/**
 * Tells a patient, who has proved who they are, what became of the last charge of the deferred part, whoever asked for it.
 * Never begins one: who looks again has not pressed *pay* again. `none`: nothing has been tried.
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
