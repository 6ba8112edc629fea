import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { LoanEnd } from "../../gateways/financing-provider.ts";
import { giveUpDeferred } from "../../orders/deferred-charge.ts";
import { collectableRest, type OrderRecord } from "../../orders/order-record.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { type CollectionKey, type CollectionStatus, dueOf } from "../collection.ts";
import { publishCollectionEvent } from "../collection-events.ts";
import { REPORT_LOAN_TIMER } from "../collection-timers.ts";
import { insertReport } from "./loan-report-store.ts";

type Dependencies = { readonly clock: Clock };
type ArrearsDependencies = Dependencies & { readonly ids: Ids };

/**
 * Schedules the report of a loan's end to the lender, in the transaction that ends the loan. An amount of 0 is not
 * reported.
 */
export async function reportLoanEnd(
  tx: Transaction,
  { clock }: Dependencies,
  { providerId, orderId }: CollectionKey,
  ended: { readonly end: LoanEnd; readonly amount: Clp; readonly at: Date },
): Promise<void> {
  if (ended.amount === 0) return;
  const number = await insertReport(tx, { providerId, orderId }, ended);
  await scheduleTimer(tx, {
    kind: REPORT_LOAN_TIMER,
    key: `${orderId}:${number}`,
    providerId,
    dueAt: clock.now(),
    payload: { order_id: orderId },
  });
}

/** Reports a loan whose deferred part was refunded, so that nothing is left to collect. */
export function reportRefundedLoan(
  tx: Transaction,
  dependencies: Dependencies,
  order: OrderRecord,
  at: Date,
): Promise<void> {
  return reportLoanEnd(tx, dependencies, order, { end: "refunded", amount: order.deferredCancelled, at });
}

/**
 * Suspends the collection until an operator handles it: the loan is in arrears. A collection that failed again without
 * having been resumed publishes nothing new.
 */
export async function fallInArrears(
  tx: Transaction,
  { ids, clock }: ArrearsDependencies,
  order: OrderRecord,
  at: Date,
): Promise<void> {
  await giveUpDeferred(tx, order, at);
  await reportLoanEnd(tx, { clock }, order, { end: "in_arrears", amount: collectableRest(order), at });
  if (order.deferredFailedAt !== null) return;
  const payload = { order_hash: order.orderId };
  await publishCollectionEvent(tx, ids, order, { kind: "collection.failed", payload }, at);
}

/**
 * Gives up a due charge that is not made. The card was not charged, so no decline has notified the patient. If the
 * mandate was revoked, they are notified that they must pay by another method.
 */
export async function giveUpCharge(
  tx: Transaction,
  { ids, clock }: ArrearsDependencies,
  { order, status, at }: { readonly order: OrderRecord; readonly status: CollectionStatus; readonly at: Date },
): Promise<void> {
  await fallInArrears(tx, { ids, clock }, order, at);
  if (status.failure === "mandate_revoked")
    await publishDueWithoutMandate(tx, ids, order, { isRefundFailed: false, at });
}

/**
 * Notifies a patient who revoked the mandate that the rest is due now, or owed again because a refund failed. Publishes
 * nothing if nothing is due.
 */
export async function publishDueWithoutMandate(
  tx: Transaction,
  ids: ArrearsDependencies["ids"],
  order: OrderRecord,
  { isRefundFailed, at }: { readonly isRefundFailed: boolean; readonly at: Date },
): Promise<void> {
  const due = dueOf(order);
  if (due.amount === 0) return;
  const payload = { order_hash: order.orderId, ...due, is_refund_failed: isRefundFailed };
  await publishCollectionEvent(tx, ids, order, { kind: "collection.due_without_mandate", payload }, at);
}
