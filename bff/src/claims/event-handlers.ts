import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { patientOrders } from "../orders/patient-data.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import {
  type ClaimedOrder,
  type ConsiderClaimDependencies,
  considerClaim,
  stopClaim,
  takeUpClaimsWithAccess,
} from "./consider-claim.ts";
import type { NotifyClaimDependencies } from "./notify-claim.ts";
import { notifyOfLack, scheduleReminders } from "./remind-unfiled.ts";
import { renewFiledClaims } from "./renew-access.ts";

/** Subscribes claims to every event that makes, changes or stops them. */
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
  events.subscribe("insurer_access.given", (tx, event) => takeUp(dependencies, tx, event));
}

async function forOrder(event: DomainEvent, react: (order: ClaimedOrder) => Promise<void>): Promise<void> {
  const { providerId, orderId } = event;
  // An expense without an order never has a claim.
  if (orderId !== null && isOrderId(orderId)) await react({ providerId, orderId });
}

async function takeUp(
  dependencies: ConsiderClaimDependencies,
  tx: Transaction,
  { id: eventId, payload, createdAt: accessAt }: DomainEvent<"insurer_access.given">,
): Promise<void> {
  const { beneficiary_id: beneficiaryId } = payload;
  await takeUpClaimsWithAccess(dependencies, tx, beneficiaryId);
  await renewFiledClaims(tx, { beneficiaryId, eventId, accessAt, at: dependencies.clock.now() });
}
