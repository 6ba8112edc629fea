import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { settleDeferredCharge } from "../../orders/deferred-charge.ts";
import { lockOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import {
  type CollectionAttempt,
  type CollectionRecord,
  type CollectionStatus,
  cardOf,
  chargeMoment,
  isMandateRevoked,
  openAttemptOf,
} from "../collection.ts";
import { requireCollection, settleAttempt, updateCollection, writeCallRepeated } from "../collection-store.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { giveUpCharge } from "../loan-reports/report-loan.ts";
import { isPatientBlocked } from "../trigger-charge.ts";
import { STOPPED, statusWithoutCharge } from "./collection-status.ts";
import type { OpenCharge } from "./open-charge.ts";

/** How long a patient who requested a charge is assumed to wait for it. */
export const PRESENT_MS = 15 * MINUTE_MS;

/**
 * Decides whether to make a charge after the processor reported, at `askedAt`, that it never arrived. Circumstances may
 * have changed since the attempt was stored. The order and its collection are locked.
 * If the charge is not made, its attempt ends as `not_made`, which counts as no try and notifies no one. Refunds that
 * waited for it are allocated, and the collection continues as before. If the call was repeated after the inquiry, the
 * answer is outdated and the processor is asked again later (ADR `0033-a-charge-that-never-arrived-is-decided-again`).
 */
export async function retryDecision(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  { key, attemptId }: OpenCharge,
  askedAt: Date,
): Promise<"call" | "inquire_later" | CollectionStatus> {
  const order = await lockOrder(tx, key);
  const before = await requireCollection(tx, key);
  const attempt = openAttemptOf(before);
  if (attempt?.id !== attemptId) return before;
  if (askedAt <= attempt.calledAt) return "inquire_later";
  const isStopped = await hasOpenChargeback(tx, key);
  const isBlocked = attempt.initiator === "merchant" && (await isPatientBlocked(tx, order));
  if (!isStopped && !isBlocked && mayStillBeMade(before, attempt, order, askedAt)) {
    await writeCallRepeated(tx, key, attemptId, askedAt);
    return "call";
  }
  const settled = { paymentId: attemptId, result: { outcome: "not_made" }, at: askedAt } as const;
  await settleDeferredCharge(tx, dependencies, key, settled);
  await settleAttempt(tx, key, attemptId, { state: "not_made" }, askedAt);
  const left = await lockOrder(tx, key);
  const status = isStopped
    ? STOPPED
    : await statusWithoutCharge(tx, dependencies, { collection: before, order: left, at: askedAt });
  await updateCollection(tx, key, status, askedAt);
  if (status.state === "failed") await giveUpCharge(tx, dependencies, { order: left, status, at: askedAt });
  return status;
}

/**
 * A charge may still be made if no refund waits for it (the refund then reduces the rest), the card is unchanged, and
 * it is not too late. Patients wait only for a while. Charges by mandate run only in the permitted hours of the
 * announced day.
 */
function mayStillBeMade(
  collection: CollectionRecord,
  { cardId, initiator, startedAt }: CollectionAttempt,
  order: OrderRecord,
  now: Date,
): boolean {
  if (order.refunds.some(({ status, allocated }) => status === "processing" && !allocated)) return false;
  if (cardOf(collection, order).id !== cardId || isMandateRevoked(collection, order)) return false;
  if (initiator === "patient") return now.getTime() - startedAt.getTime() < PRESENT_MS;
  return chargeMoment(now) <= now && santiagoDay(startedAt) === santiagoDay(now);
}
