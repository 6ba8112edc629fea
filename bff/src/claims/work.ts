import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { patientOrders } from "../orders/operations.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import type { Switch } from "../platform/switches.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { readClaimIdsOfInsurer } from "./claim-store.ts";
import {
  type ClaimedOrder,
  type ConsiderClaimDependencies,
  considerClaim,
  FILE_CLAIM_TIMER,
  stopClaim,
  takeUpClaimsWithAccess,
} from "./consider-claim.ts";
import { type FileClaimDependencies, fileClaim } from "./file-claim.ts";
import type { NotifyClaimDependencies } from "./notify-claim.ts";
import { createPictureConverter } from "./picture-converter.ts";
import { CLAIMS_DAILY_TIMER, lookForUnaskedClaims, POLL_CLAIM_TIMER, pollClaim, pollSoon } from "./poll-claim.ts";
import { publishOrderCourse } from "./publish-course.ts";
import { notifyOfLack, REMIND_UNFILED_TIMER, remindUnfiled, scheduleReminders } from "./remind-unfiled.ts";
import { renewAccess, renewFiledClaims } from "./renew-access.ts";
import { RENEW_ACCESS_TIMER } from "./renewal-timer.ts";
import { removeUploads, removeUploadsKind, type UploadDependencies } from "./upload.ts";

export function claimTimerHandlers(given: Omit<FileClaimDependencies, "pictures">): TimerHandlers {
  const dependencies = { ...given, pictures: createPictureConverter() };
  return {
    [FILE_CLAIM_TIMER]: (timer, context) => fileClaim(dependencies, timer, context),
    [POLL_CLAIM_TIMER]: (timer, context) => pollClaim(dependencies, timer, context),
    [RENEW_ACCESS_TIMER]: (timer) => renewAccess(dependencies, timer),
    [REMIND_UNFILED_TIMER]: (timer, context) => remindUnfiled(dependencies, timer, context),
    [CLAIMS_DAILY_TIMER]: (timer) => lookForUnaskedClaims(dependencies, timer),
  };
}

/** Subscribes claims to every event that creates, changes or stops them. */
export function handleClaimEvents(
  events: EventHandlers,
  dependencies: ConsiderClaimDependencies & NotifyClaimDependencies,
): void {
  const consider = async (tx: Transaction, order: ClaimedOrder): Promise<void> => {
    await considerClaim(dependencies, tx, order);
    await notifyOfLack(dependencies, tx, order);
  };
  for (const kind of ["order.paid", "expense.received", "expense.completed"] as const)
    events.subscribe(kind, (tx, event) => forOrder(event, (order) => consider(tx, order)));
  events.subscribe("patient.proven", async (tx, { payload }) => {
    const patient = await findBeneficiaryById(tx, payload.beneficiary_id);
    const orders = patient === null ? [] : await patientOrders(tx, patient);
    for (const { providerId, id: orderId } of orders) await consider(tx, { providerId, orderId });
  });
  events.subscribe("order.paid", (tx, event) => forOrder(event, (order) => scheduleReminders(tx, order)));
  events.subscribe("order.refunded", (tx, event) => forOrder(event, (order) => stopClaim(dependencies, tx, order)));
  publishOrderCourse(events, dependencies);
  events.subscribe("insurer_access.given", (tx, event) => resume(dependencies, tx, event));
}

async function forOrder(event: DomainEvent, react: (order: ClaimedOrder) => Promise<void>): Promise<void> {
  const { providerId, orderId } = event;
  // An expense without an order never has a claim.
  if (orderId !== null && isOrderId(orderId)) await react({ providerId, orderId });
}

async function resume(
  dependencies: ConsiderClaimDependencies,
  tx: Transaction,
  { id: eventId, payload, createdAt: accessAt }: DomainEvent<"insurer_access.given">,
): Promise<void> {
  const { beneficiary_id: beneficiaryId } = payload;
  await takeUpClaimsWithAccess(dependencies, tx, beneficiaryId);
  await renewFiledClaims(tx, { beneficiaryId, eventId, accessAt, at: dependencies.clock.now() });
}

export function expenseTimerHandlers(dependencies: UploadDependencies): TimerHandlers {
  return { [removeUploadsKind]: (timer) => removeUploads(dependencies, timer) };
}

interface ReceiveInsurerNewsDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
}

/**
 * Handles an insurer's report that one of its claims has changed. The report is not trusted: it only causes a poll, so
 * repeated, late or reordered callbacks change nothing. Returns whether the claim is known; it is unknown until the
 * answer to its filing was recorded.
 */
export async function receiveInsurerNews(
  { db, clock }: ReceiveInsurerNewsDependencies,
  claim: { readonly providerId: string; readonly insurerClaimId: string },
): Promise<boolean> {
  const ids = await readClaimIdsOfInsurer(db, claim);
  await inTransaction(db, async (tx) => {
    for (const id of ids) await pollSoon(tx, { providerId: claim.providerId, id }, clock.now());
  });
  return ids.length > 0;
}

/** The switch that stops each kind of timer of this room. */
export const claimSwitches: Readonly<Record<string, Switch>> = {
  [FILE_CLAIM_TIMER]: "claims",
  [POLL_CLAIM_TIMER]: "claims",
  [RENEW_ACCESS_TIMER]: "claims",
};
