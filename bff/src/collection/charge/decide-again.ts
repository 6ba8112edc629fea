import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { holdOrder } from "../../orders/orders/order-reads.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { giveUpDeferred, settleDeferredCharge } from "../../orders/payments/deferred-charge.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import { chargeMoment } from "../collection.ts";
import { type CollectionAttempt, type CollectionRecord, openAttemptOf } from "../collection-record.ts";
import { settleAttempt, updateCollection, writeCallRepeated } from "../collection-store.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import {
  cardOf,
  type OpenCharge,
  requireCollection,
  STOPPED,
  type Standing,
  standingWithoutCharge,
} from "./settle-charge.ts";

/** So long a patient who asked for a charge is taken to wait for it. */
const PRESENT_MS = 15 * MINUTE_MS;

/**
 * The processor, asked at a moment, says that a charge never arrived. Decides, with the order and its collection locked,
 * whether it is made now: what was true when it was written down may not be true any more. If not, its attempt ends as one
 * that was not made, which is no try and is told to nobody; refunds that waited for it are allocated, and the collection
 * stands as if it had not begun. A call that was made again after the question is asked about later (ADR `a-charge-that-never-arrived-is-decided-again`).
 */
export async function decideAgain(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  { key, attemptId }: OpenCharge,
  askedAt: Date,
): Promise<"call" | "ask_later" | Standing> {
  const orderKey = key;
  const order = await holdOrder(tx, orderKey);
  const before = await requireCollection(tx, key);
  const attempt = openAttemptOf(before);
  if (attempt?.id !== attemptId) return before;
  if (askedAt <= attempt.calledAt) return "ask_later";
  const isStopped = await hasOpenChargeback(tx, key);
  if (!isStopped && mayStillBeMade(before, attempt, order, askedAt)) {
    await writeCallRepeated(tx, key, attemptId, askedAt);
    return "call";
  }
  const settled = { paymentId: attemptId, result: { outcome: "not_made" }, at: askedAt } as const;
  await settleDeferredCharge(tx, dependencies, orderKey, settled);
  await settleAttempt(tx, key, attemptId, { state: "not_made" }, askedAt);
  const left = await holdOrder(tx, orderKey);
  const standing = isStopped
    ? STOPPED
    : await standingWithoutCharge(tx, dependencies, { collection: before, order: left, at: askedAt });
  await updateCollection(tx, key, standing, askedAt);
  if (standing.state === "failed") await giveUpDeferred(tx, left, askedAt);
  return standing;
}

/** A refund that waits for the charge comes out of what is not collected; nobody is charged whom nothing has told so. */
function mayStillBeMade(
  collection: CollectionRecord,
  { cardId, initiator, startedAt }: CollectionAttempt,
  order: OrderRecord,
  now: Date,
): boolean {
  if (order.refunds.some(({ status, allocated }) => status === "processing" && !allocated)) return false;
  if (cardOf(collection, order).id !== cardId) return false;
  return initiator === "patient" ? now.getTime() - startedAt.getTime() < PRESENT_MS : chargeMoment(now) <= now;
}
