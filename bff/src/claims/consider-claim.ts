import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import { publishedStatus } from "../orders/order.ts";
import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findBeneficiary, findBeneficiaryById } from "../patients/patients.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { type Ids, idFor } from "../platform/ids.ts";
import { rescheduleTimer } from "../platform/timers/timer-store.ts";
import { requireProvider } from "../tenants/providers.ts";
import { unqueueClaim } from "./by-hand/hand-claim-store.ts";
import { claimAfter } from "./claim.ts";
import { publishHeldOnce } from "./claim-events.ts";
import { type ClaimRecord, insertClaim, lockClaimOfOrder, readOrdersWithoutAccess } from "./claim-store.ts";
import { isClaimable, missingDocuments, statusBeforeFiling } from "./expenses/expense.ts";
import {
  giveExpenseTo,
  lockSubmittedExpense,
  type SubmittedExpense,
  setExpenseStatus,
} from "./expenses/expense-progress.ts";
import { claimNow, lockMovableClaim, type MovableClaim, moveClaim } from "./move-claim.ts";

/** The reason of a claim that was stopped because its order was refunded in full. */
export const ORDER_REFUNDED = "order_refunded";

export const FILE_CLAIM_TIMER = "reimbursements.file_claim";

export interface ConsiderClaimDependencies {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
}

/** The order of an event. */
export interface ClaimedOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/**
 * Creates the claim of an order once the order is paid and its expense received. Call it on both events, in any
 * sequence and any number of times; it creates at most one claim. An expense that lacks a document is held until it is
 * complete.
 */
export async function considerClaim(
  dependencies: ConsiderClaimDependencies,
  tx: Transaction,
  { providerId, orderId }: ClaimedOrder,
): Promise<void> {
  const submitted = await lockSubmittedExpense(tx, { providerId, orderId });
  if (submitted === null) return;
  const order = await findOrder(tx, { providerId, orderId });
  if (order === null) return;
  const status = publishedStatus(order.state);
  if (!isClaimable(status)) return;
  const expense = await ofProvenPatient(tx, submitted, order);
  if (expense === null) return;
  const claim = await lockClaimOfOrder(tx, { providerId, orderId });
  const at = await claimNow(dependencies, tx, providerId);
  const missing = missingDocuments(expense.subtypes, expense.files);
  if (claim === null) {
    await setExpenseStatus(tx, expense, { to: statusBeforeFiling(status, missing), at });
    if (missing.length > 0) await publishHeldOnce(tx, { providerId, orderId }, at);
    else await makeClaim(dependencies, tx, expense, { orderId, at });
  } else if (missing.length === 0) {
    const state = claimAfter(claim.state, "complete_documents");
    if (state !== null) await resumeClaim(dependencies, tx, { claim, expense, state }, at);
  }
}

/**
 * The expense of an order with its proven patient; null if the patient is not proven, because nothing is filed then. A
 * receipt that arrived for an unproven registration, from another visit or a stranger, moves to the patient's record.
 */
async function ofProvenPatient(
  tx: Transaction,
  expense: SubmittedExpense,
  { customer }: OrderRecord,
): Promise<SubmittedExpense | null> {
  const submittedFor = await findBeneficiaryById(tx, expense.beneficiaryId);
  if (submittedFor?.proofUntil === null) return expense;
  const tenant = tenantOf(await requireProvider(tx, expense.providerId));
  // The order of an erased patient has a pseudonym instead of the RUT.
  const rut = readRut(customer.rut);
  const patient = rut === null ? null : await findBeneficiary(tx, { tenant, rut });
  return patient === null ? null : giveExpenseTo(tx, expense, patient.id);
}

/** Stops the claim of an order that was refunded in full before the claim was filed. */
export async function stopClaim(
  dependencies: ConsiderClaimDependencies,
  tx: Transaction,
  { providerId, orderId }: ClaimedOrder,
): Promise<void> {
  const order = await findOrder(tx, { providerId, orderId });
  if (order === null || publishedStatus(order.state) !== "refunded") return;
  const stopped = await lockStoppable(tx, { providerId, orderId });
  if (stopped === null) return;
  const at = await claimNow(dependencies, tx, providerId);
  await moveClaim(tx, stopped, { at, reason: ORDER_REFUNDED });
}

/** An unfiled claim that no call is in progress for, or that only waits for an operator, from whom it is taken. */
export async function lockStoppable(
  tx: Transaction,
  order: Pick<ClaimRecord, "providerId" | "orderId">,
): Promise<MovableClaim | null> {
  const claim = await lockMovableClaim(tx, order, "stop");
  if (claim !== null || !(await unqueueClaim(tx, order))) return claim;
  return lockMovableClaim(tx, order, "stop_unsent");
}

/** Files the claims that waited for a patient's access to the insurer. */
export async function takeUpClaimsWithAccess(
  dependencies: ConsiderClaimDependencies,
  tx: Transaction,
  beneficiaryId: string,
): Promise<void> {
  for (const order of await readOrdersWithoutAccess(tx, beneficiaryId)) {
    const waiting = await lockMovableClaim(tx, order, "give_access");
    if (waiting !== null)
      await resumeClaim(dependencies, tx, waiting, await claimNow(dependencies, tx, order.providerId));
  }
}

async function makeClaim(
  { clock }: Pick<ConsiderClaimDependencies, "clock">,
  tx: Transaction,
  expense: SubmittedExpense,
  { orderId, at }: { orderId: OrderId; at: Date },
): Promise<void> {
  const { providerId, id: expenseId, beneficiaryId } = expense;
  const id = idFor(`${orderId}:claim`);
  if (!(await insertClaim(tx, { providerId, id, orderId, expenseId, beneficiaryId, at }))) return;
  await scheduleFiling(tx, { providerId, id, attempt: 0 }, clock.now());
}

/** Makes a waiting claim ready again and schedules its filing. */
async function resumeClaim(
  { clock }: ConsiderClaimDependencies,
  tx: Transaction,
  waiting: MovableClaim,
  at: Date,
): Promise<void> {
  await moveClaim(tx, waiting, { at, reason: null });
  await scheduleFiling(tx, waiting.claim, clock.now());
}

/**
 * Schedules the next filing attempt, or brings it forward. The timer's key names the attempt, so a claim has at most
 * one waiting timer.
 */
export async function scheduleFiling(
  tx: Transaction,
  claim: Pick<ClaimRecord, "providerId" | "id" | "attempt">,
  dueAt: Date,
): Promise<void> {
  const { providerId, id } = claim;
  const attempt = claim.attempt + 1;
  const payload = { claim_id: id, attempt };
  await rescheduleTimer(tx, { kind: FILE_CLAIM_TIMER, key: `${id}:${attempt}`, providerId, dueAt, payload });
}
