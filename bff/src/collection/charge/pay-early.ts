import type { DeclineReason } from "../../contract/errors.ts";
import { inquiryDelayMs } from "../../gateways/inquiry-delay.ts";
import { holdOrder } from "../../orders/orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../../orders/orders/order-record.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import { isSwitchedOff } from "../../platform/switch-store.ts";
import { cancelTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import { hasEnded } from "../collection.ts";
import { type CollectionKey, type CollectionRecord, dunningFacts, openAttemptOf } from "../collection-record.ts";
import { lockCollection } from "../collection-store.ts";
import { SETTLE_EARLY_TIMER } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { askedCharge } from "./dunning.ts";
import { makeCharge } from "./make-charge.ts";
import { openAttempt } from "./open-charge.ts";
import { cardOf, isMandateRevoked, type OpenCharge } from "./settle-charge.ts";

export type EarlyPayment =
  | { readonly outcome: "collected" }
  /** A charge is in progress and its outcome is unknown; a later call reports it. */
  | { readonly outcome: "processing" }
  /** Nothing was charged, and the previous due date still applies. A card with a hard decline is not charged at all. */
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** Too many charges were declined, so the card was not charged. `until` is in the provider's time. */
  | { readonly outcome: "too_many"; readonly until: Date }
  /**
   * The rest was refunded or is claimed by an unfinished refund, the collection was given up for good or waits for an
   * operator because of a chargeback, the mandate for the card was revoked, or the order was never paid.
   */
  | { readonly outcome: "nothing_due" };

/**
 * Charges the deferred part and its commission now, at any hour, to the stored card; the patient's identity has been
 * proved before. A declined charge only delays the next try. Concurrent calls make one charge.
 */
export async function payEarly(
  dependencies: CollectionDependencies,
  {
    provider,
    key,
    now: at,
    within,
  }: {
    readonly provider: Provider;
    readonly key: CollectionKey;
    readonly now: Date;
    /** Further writes in the transaction that stores the charge. */
    readonly within?: (tx: Transaction) => Promise<void>;
  },
): Promise<EarlyPayment> {
  const { db } = dependencies;
  const opened = await inTransaction(db, async (tx) => {
    const early = await openEarly(tx, dependencies, key, at);
    if (!("outcome" in early)) await within?.(tx);
    return early;
  });
  if ("outcome" in opened) return opened;
  const ran = await makeCharge(dependencies, provider, { charge: opened, mayHaveArrived: false }, at);
  const { standing, answer } = ran.attempt;
  if (standing === null || answer === null) return { outcome: "processing" };
  await cancelTimer(db, { kind: SETTLE_EARLY_TIMER, key: opened.attemptId });
  if (standing.state === "collected") return { outcome: "collected" };
  return answer.outcome === "declined" ? { outcome: "declined", reason: answer.reason } : { outcome: "processing" };
}

/** Decides with the order and its collection locked, and stores the attempt with the timer that settles it. */
async function openEarly(
  tx: Transaction,
  dependencies: CollectionDependencies,
  key: CollectionKey,
  at: Date,
): Promise<OpenCharge | EarlyPayment> {
  const order = await holdOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await lockCollection(tx, key);
  if (collection?.state === "collected") return { outcome: "collected" };
  if (collection !== null && openAttemptOf(collection) !== null) return { outcome: "processing" };
  if (collection === null || !(await isChargeable(tx, collection, order))) return { outcome: "nothing_due" };
  const asked = askedCharge(dunningFacts(collection, cardOf(collection, order)), at);
  if (asked.outcome === "hard_decline") return { outcome: "declined", reason: asked.reason };
  if (asked.outcome === "wait") return { outcome: "too_many", until: asked.until };
  if (await isSwitchedOff(tx, "charges", key.providerId)) throw new ApiError("service_unavailable");
  const charge = await openAttempt(tx, { order, collection, initiator: "patient", at });
  if (charge === null) return { outcome: "nothing_due" };
  await scheduleTimer(tx, {
    kind: SETTLE_EARLY_TIMER,
    key: charge.attemptId,
    providerId: key.providerId,
    dueAt: new Date(dependencies.clock.now().getTime() + inquiryDelayMs(0)),
    payload: { order_id: key.orderId },
  });
  return charge;
}

/**
 * True if the patient may have the deferred part charged now. While an unfinished refund claims all that is left, there
 * is nothing to charge.
 */
export async function isChargeable(db: Database, collection: CollectionRecord, order: OrderRecord): Promise<boolean> {
  if (hasEnded(collection) || collection.state === "stopped" || collectableRest(order) === 0) return false;
  if (isMandateRevoked(collection, order)) return false;
  // Checked separately, because a chargeback does not change the state of a collection that had failed before.
  return !(await hasOpenChargeback(db, collection));
}
