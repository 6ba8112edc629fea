import { addClp, type Clp, subtractClp } from "../contract/vocabulary/clp.ts";
import { bookLostChargeback, bookWriteOff, bookWriteOffReversal } from "../orders/book-entries.ts";
import {
  type BookedOtherwise,
  payOtherwise,
  refundLoss,
  reopenDeferred,
  resumeDeferred,
  writeOffDeferred,
} from "../orders/deferred-charge.ts";
import { lockOrder } from "../orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../orders/order-record.ts";
import { endTrust } from "../orders/saved-cards.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findAndLockBeneficiary } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Resolving } from "../platform/exceptions.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { statusOfDueCharge } from "./charge/collection-status.ts";
import { endAsCollected } from "./charge/settle-charge.ts";
import { hasOpenChargeback, loseChargebacks, releaseChargebacks, winChargebacks } from "./chargeback-store.ts";
import {
  announcedDay45,
  announcementOf,
  type CollectionKey,
  type CollectionRecord,
  type CollectionStatus,
  deadlineOf,
  dueOf,
  hasEnded,
  isMandateRevoked,
} from "./collection.ts";
import { publishCollectionEvent } from "./collection-events.ts";
import { lockCollection, requireCollection, updateCollection } from "./collection-store.ts";
import { chargeTimer } from "./collection-timers.ts";
import { recordOrdersDisputes } from "./daily-sync.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { giveUpCharge, publishDueWithoutMandate, reportLoanEnd } from "./loan-reports/report-loan.ts";
import { removeUnneededCards } from "./remove-cards.ts";
import { announceCharge, isPatientBlocked } from "./trigger-charge.ts";

/**
 * Thrown when the collection's state does not allow a resolution. `code` says why; `due` is the amount that a payment
 * must have.
 */
export class CollectionResolutionRefused extends Error {
  override readonly name = "CollectionResolutionRefused";
  readonly due: Clp | null;
  readonly code:
    | "not_failed"
    | "not_stopped"
    | "not_open"
    | "not_written_off"
    | "chargeback_open"
    | "mandate_revoked"
    | "hard_decline"
    | "tries_exhausted"
    | "nothing_lost"
    | "nothing_to_recover"
    | Exclude<BookedOtherwise["outcome"], "booked">;

  constructor(code: CollectionResolutionRefused["code"], due: Clp | null = null) {
    super("The collection does not allow this resolution now.");
    this.code = code;
    this.due = due;
  }
}

/** The resolution's provider, and its time in the provider's time. */
type Dependencies = Pick<CollectionDependencies, "clock" | "ids"> & Pick<Resolving, "provider" | "at">;

/**
 * Locks an order and its collection until the transaction ends, so that the operator acts on the state that they have
 * seen.
 */
export async function lockOrderAndCollection(tx: Transaction, key: CollectionKey): Promise<void> {
  await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  await lockCollection(tx, key);
}

/** A collection that continues: when its charge is due, and why it charges nothing then. */
export interface Continued {
  readonly dueAt: Date;
  readonly heldBy: "refund" | "blocking" | "revocation" | null;
}

/**
 * Restarts a failed collection, within the number of tries promised to the patient, after announcing the charge. Throws
 * `CollectionResolutionRefused` if the card has no tries left or a chargeback waits for an operator.
 */
export async function retryCollection(
  tx: Transaction,
  { ids, provider, at }: Dependencies,
  key: CollectionKey,
): Promise<Continued> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await requireCollection(tx, key);
  if (collection.state !== "failed" || hasEnded(collection)) throw new CollectionResolutionRefused("not_failed");
  if (await hasOpenChargeback(tx, key)) throw new CollectionResolutionRefused("chargeback_open");
  const renewed: CollectionRecord = { ...collection, seriesFrom: at };
  const status = await statusOfDueCharge(tx, { ids }, { collection: renewed, order, at });
  if (status.failure === "mandate_revoked" || status.failure === "tries_exhausted")
    throw new CollectionResolutionRefused(status.failure);
  if (status.dueAt === null) throw new CollectionResolutionRefused("hard_decline");
  await updateCollection(tx, key, { ...status, seriesFrom: at }, at);
  await resumeDeferred(tx, order, at);
  await scheduleTimer(tx, chargeTimer(provider, renewed, status.dueAt));
  return { dueAt: status.dueAt, heldBy: await heldBy(tx, collection, order) };
}

/**
 * Lets a stopped collection continue after an operator has handled the chargeback. Announces a due charge now, and one
 * of day 45 whose announcement was missed. Returns null if the current card can no longer be charged, so that the
 * collection has failed.
 */
export async function releaseCollection(
  tx: Transaction,
  { clock, ids, provider, at }: Dependencies,
  key: CollectionKey,
): Promise<Continued | null> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await requireCollection(tx, key);
  if (collection.state !== "stopped") throw new CollectionResolutionRefused("not_stopped");
  const renewed: CollectionRecord = { ...collection, seriesFrom: at };
  const waiting: CollectionStatus = { state: "scheduled", dueAt: deadlineOf(collection.paidAt), failure: null };
  const isDue = collection.trigger !== null;
  const status = isDue ? await statusOfDueCharge(tx, { ids }, { collection: renewed, order, at }) : waiting;
  if (!isDue && isAnnouncementLate(collection, at) && (await mayAnnounce(tx, collection, order)))
    await announceCharge(tx, { ids }, key, { order, chargeAt: announcedDay45(collection.paidAt, at), at });
  await releaseChargebacks(tx, key, at);
  await updateCollection(tx, key, { ...status, seriesFrom: at }, at);
  if (status.state === "failed") await giveUpCharge(tx, { ids, clock }, { order, status, at });
  else if (order.deferredFailedAt !== null) await resumeDeferred(tx, order, at);
  if (status.dueAt === null) return null;
  if (isDue) await scheduleTimer(tx, chargeTimer(provider, renewed, status.dueAt));
  return { dueAt: status.dueAt, heldBy: await heldBy(tx, collection, order) };
}

async function heldBy(tx: Transaction, collection: CollectionRecord, order: OrderRecord): Promise<Continued["heldBy"]> {
  if (isMandateRevoked(collection, order)) return "revocation";
  if (dueOf(order).amount === 0) return "refund";
  return (await isPatientBlocked(tx, order)) ? "blocking" : null;
}

/** True if the announcement of the charge of day 45 is due and was not made. */
function isAnnouncementLate({ announcement, paidAt }: CollectionRecord, at: Date): boolean {
  return announcement === null && at >= announcementOf(paidAt);
}

/** Whether a charge of day 45 is currently planned. */
async function mayAnnounce(tx: Transaction, collection: CollectionRecord, order: OrderRecord): Promise<boolean> {
  if (collectableRest(order) === 0 || isMandateRevoked(collection, order)) return false;
  return !(await isPatientBlocked(tx, order));
}

/**
 * Gives up a failed or stopped collection permanently: it is no longer listed as an exception, and nothing more is
 * charged. Books the rest of the loan as written off and returns that amount.
 */
export async function writeOffCollection(
  tx: Transaction,
  { clock, ids, at }: Dependencies,
  key: CollectionKey,
): Promise<Clp> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await requireCollection(tx, key);
  if ((collection.state !== "failed" && collection.state !== "stopped") || hasEnded(collection))
    throw new CollectionResolutionRefused("not_open");
  await releaseChargebacks(tx, key, at);
  await updateCollection(tx, key, { state: "failed", dueAt: null, failure: "written_off" }, at);
  await writeOffDeferred(tx, order, at);
  await removeUnneededCards(tx, { clock }, key, at);
  const payload = { order_hash: key.orderId, ...dueOf(order) };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.written_off", payload }, at);
  const amount = await bookWriteOff(tx, ids, { providerId: key.providerId, orderId: key.orderId, at });
  await reportLoanEnd(tx, { clock }, key, { end: "written_off", amount, at });
  return amount;
}

/** Makes a written-off amount due again, because the patient has paid it after all. It stays a failed collection. */
export async function reverseWriteOff(
  tx: Transaction,
  { ids, at }: Pick<Dependencies, "ids" | "at">,
  key: CollectionKey,
): Promise<void> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await requireCollection(tx, key);
  if (collection.failure !== "written_off") throw new CollectionResolutionRefused("not_written_off");
  await updateCollection(tx, key, { state: "failed", dueAt: null, failure: "tries_exhausted" }, at);
  await reopenDeferred(tx, order, at);
  await bookWriteOffReversal(tx, ids, { providerId: key.providerId, orderId: key.orderId, at });
}

/**
 * Books that the patient has paid the due amount, commission included, by another method than card. Ends the
 * collection, so that no later try charges it again. A charge that was not due yet counts as paid early.
 */
export async function bookPaidOtherwise(
  tx: Transaction,
  { clock, ids, at }: Dependencies,
  key: CollectionKey,
  paid: { readonly amount: Clp; readonly evidence: string; readonly actor: string },
): Promise<void> {
  await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await requireCollection(tx, key);
  const booked = await payOtherwise(tx, { ids, clock }, key, { ...paid, at });
  if (booked.outcome !== "booked")
    throw new CollectionResolutionRefused(booked.outcome, booked.outcome === "amount_differs" ? booked.due : null);
  const { paymentId, amount, commission } = booked;
  await endAsCollected(tx, { clock }, collection, { paymentId, price: subtractClp(amount, commission), at });
  const payload = { order_hash: key.orderId, payment_id: paymentId, amount, commission };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.paid_otherwise", payload }, at);
}

/**
 * Marks chargebacks as handled by an operator, for an order whose collection they do not stop. If the collection failed
 * and its mandate was revoked, notifies the patient that the rest is due now.
 */
export async function acknowledgeChargebacks(
  tx: Transaction,
  { ids, at }: Pick<Dependencies, "ids" | "at">,
  key: CollectionKey,
): Promise<void> {
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const collection = await lockCollection(tx, key);
  const wasHeld = await hasOpenChargeback(tx, key);
  await releaseChargebacks(tx, key, at);
  if (!wasHeld || collection?.state !== "failed" || hasEnded(collection)) return;
  if (isMandateRevoked(collection, order))
    await publishDueWithoutMandate(tx, ids, order, { isRefundFailed: false, at });
}

/** Marks an order's chargebacks as won: the money is back, and nothing is booked. */
export async function winOrdersChargebacks(
  tx: Transaction,
  { ids, at }: Pick<Dependencies, "ids" | "at">,
  key: CollectionKey,
): Promise<void> {
  await lockOrder(tx, key);
  const won = await winChargebacks(tx, key, at);
  await recordOrdersDisputes(tx, key, at);
  const amount = addClp(...won);
  if (won.length > 0) await publishDisputeClosed(tx, ids, key, { amount, outcome: "won", is_refunded: false, at });
}

async function publishDisputeClosed(
  tx: Transaction,
  ids: Dependencies["ids"],
  key: CollectionKey,
  {
    at,
    ...closed
  }: { readonly amount: Clp; readonly outcome: "won" | "lost"; readonly is_refunded: boolean; readonly at: Date },
): Promise<void> {
  const payload = { order_hash: key.orderId, ...closed };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.dispute_closed", payload }, at);
}

/**
 * Marks an order's chargebacks as lost and refunds their amount at the clinic's expense: the patient already has it,
 * and the clinic's next payout is reduced. Returns the refunded price. Throws `CollectionResolutionRefused` if no price
 * is left to refund.
 */
export async function recoverFromClinic(tx: Transaction, given: Dependencies, key: CollectionKey): Promise<Clp> {
  await loseOrdersChargebacks(tx, given, key, { isRefunded: true });
  const refunded = await refundLoss(tx, given, key, given.at);
  if (refunded === 0) throw new CollectionResolutionRefused("nothing_to_recover");
  return refunded;
}

/**
 * Marks an order's chargebacks as lost and books that the service bears them. Covers the chargebacks that the operator
 * saw; for a stopped collection, those that stop it. A stopped collection stays stopped until a separate resolution.
 * Returns the amount booked.
 */
export async function loseOrdersChargebacks(
  tx: Transaction,
  dependencies: Dependencies,
  key: CollectionKey,
  { isRefunded }: { readonly isRefunded: boolean } = { isRefunded: false },
): Promise<Clp> {
  const { ids, at } = dependencies;
  const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
  const isStopped = (await lockCollection(tx, key))?.state === "stopped";
  const lost = await loseChargebacks(tx, key, { at, onlyOpen: isStopped });
  if (lost.length === 0) throw new CollectionResolutionRefused("nothing_lost");
  await recordOrdersDisputes(tx, key, at);
  await distrustPatient(tx, dependencies, order);
  for (const { id, amount } of lost) await bookLostChargeback(tx, ids, { ...key, chargebackId: id, amount, at });
  const amount = addClp(...lost.map((chargeback) => chargeback.amount));
  await publishDisputeClosed(tx, ids, key, { amount, outcome: "lost", is_refunded: isRefunded, at });
  return amount;
}

/**
 * The payer may not have been the patient, so recognition is disabled until the registry has matched the patient again.
 */
async function distrustPatient(tx: Transaction, dependencies: Dependencies, { customer }: OrderRecord): Promise<void> {
  const key = { tenant: tenantOf(dependencies.provider), rut: customer.rut };
  const patient = await findAndLockBeneficiary(tx, key);
  if (patient !== null) await endTrust(tx, dependencies, patient, dependencies.at);
}
