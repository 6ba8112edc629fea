import { causeOf, type DeclineCause } from "../../contract/errors.ts";
import type { Challenge } from "../../gateways/strong-authentication.ts";
import type { CardAuthentication } from "../../orders/card-attempt.ts";
import { findOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { lastCardAttempt } from "../../orders/run-card-attempt.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import { type CollectionKey, type CollectionRecord, dueOf, isMandateRevoked, openAttemptOf } from "../collection.ts";
import { readCollection } from "../collection-store.ts";

export type EarlyPayment =
  | { readonly outcome: "collected" }
  /** The issuer challenges the patient first; nothing is charged until they have answered. */
  | { readonly outcome: "requires_action"; readonly challenge: Challenge }
  /** A charge is in progress and its outcome is unknown; a later call reports it. */
  | { readonly outcome: "processing" }
  /** Nothing was charged, and the previous due date still applies. A card with a hard decline is not charged at all. */
  | ({ readonly outcome: "declined" } & DeclineCause)
  /** Too many charges were declined, so the card was not charged. `until` is in the provider's time. */
  | { readonly outcome: "too_many"; readonly until: Date }
  /** Nothing has been tried, or the amount that the issuer authenticated is no longer the amount due. */
  | { readonly outcome: "none" }
  /**
   * The rest was refunded or is claimed by an unfinished refund, the collection was given up for good or waits for an
   * operator because of a chargeback, the mandate for the card was revoked, or the order was never paid.
   */
  | { readonly outcome: "nothing_due" };

/** The stored outcome of the last charge of the deferred part. Makes no outside call. */
export async function readEarlyPayment(db: Database, key: CollectionKey): Promise<EarlyPayment> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  if (collection?.state === "collected") return { outcome: "collected" };
  if (collection !== null && openAttemptOf(collection) !== null) return { outcome: "processing" };
  if (collection === null || order === null) return { outcome: "nothing_due" };
  if (!(await isChargeable(db, collection, order))) return { outcome: "nothing_due" };
  const requested = await lastCardAttempt(db, key, { purpose: "pay_early" });
  const last = collection.attempts.at(-1);
  const isAfterCharge = requested !== null && (last === undefined || requested.startedAt >= last.startedAt);
  if (isAfterCharge && requested.state !== "succeeded") return outcomeOfAsking(requested);
  // A constraint ensures that exactly the declined charges have a reason.
  return last?.declineReason == null
    ? { outcome: "none" }
    : { outcome: "declined", ...causeOf({ reason: last.declineReason, limit: last.declineLimit ?? undefined }) };
}

/** The result of an authentication that led to no charge. */
function outcomeOfAsking({ state, page, declineReason: reason }: CardAuthentication): EarlyPayment {
  if (state === "at_page" && page !== null) return { outcome: "requires_action", challenge: page };
  if (state === "declined") return { outcome: "declined", reason: reason ?? "declined" };
  return { outcome: state === "dropped" ? "none" : "processing" };
}

/**
 * True if the patient may have the deferred part charged now. False while an unfinished refund claims the whole rest.
 */
export async function isChargeable(db: Database, collection: CollectionRecord, order: OrderRecord): Promise<boolean> {
  if (dueOf(order).amount === 0 || isMandateRevoked(collection, order)) return false;
  // A chargeback does not change the state of a collection that had already failed.
  return !(await hasOpenChargeback(db, collection));
}
