import type { DeclineReason } from "../../contract/errors.ts";
import { inquiryDelayMs } from "../../gateways/inquiry-delay.ts";
import { holdOrder } from "../../orders/orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../../orders/orders/order-record.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
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
import { cardOf, type OpenCharge } from "./settle-charge.ts";

export type EarlyPayment =
  | { readonly outcome: "collected" }
  /** A charge is under way whose end is not known yet; asked again, once it is known, it tells. */
  | { readonly outcome: "processing" }
  /** Nothing was taken. What was due before is due as before. A card that will never work again is not even asked. */
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** Too many were declined; nothing was asked of the card. `until` is in the provider's time. */
  | { readonly outcome: "too_many"; readonly until: Date }
  /**
   * Refunded (also by a refund that has not ended), given up for good, waiting for a person because of a chargeback, or never
   * paid.
   */
  | { readonly outcome: "nothing_due" };

/**
 * The patient, who has proved who they are, pays the deferred part and its commission now, at any hour, with the card that is
 * kept. A declined charge changes nothing but the distance to the next try. Two at once make one charge.
 */
export async function payEarly(
  dependencies: CollectionDependencies,
  {
    provider,
    key,
    within,
  }: {
    readonly provider: Provider;
    readonly key: CollectionKey;
    /** What else becomes true when a charge is written down. */
    readonly within?: (tx: Transaction) => Promise<void>;
  },
): Promise<EarlyPayment> {
  const { db, clock } = dependencies;
  const at = providerNow(provider, clock.now());
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

/** Decides with the order and its collection locked, and writes the attempt down with the timer that sees to it. */
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
  const charge = await openAttempt(tx, dependencies, { order, collection, initiator: "patient", at });
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

/** May the patient have it charged? A refund that has not ended, and claims all that is left, leaves nothing to charge. */
export async function isChargeable(db: Database, collection: CollectionRecord, order: OrderRecord): Promise<boolean> {
  if (hasEnded(collection) || collection.state === "stopped" || collectableRest(order) === 0) return false;
  // A collection that had failed before is not stopped by one.
  return !(await hasOpenChargeback(db, collection));
}
