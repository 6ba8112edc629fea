import { patientEmailChanges, patientPlans } from "../checkout/operations.ts";
import { type ClaimSummary, type ExpenseSummary, patientClaims, patientExpenses } from "../claims/operations.ts";
import type { PatientData } from "../contract/patient-rights.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { publishedStatus } from "../orders/order.ts";
import type { OrderDetails } from "../orders/order-record.ts";
import { detailsPart, paymentMethod } from "../orders/order-view.ts";
import {
  cardsKeptOf,
  type SavedCard,
  type SavedCardUse,
  savedCardView,
  usesOfSavedCards,
} from "../orders/saved-cards.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { providerNames } from "../tenants/providers.ts";
import { readErasure } from "./my-data/erasure-store.ts";
import { lockPatient } from "./my-data/lock-patient.ts";
import { consentsInSight } from "./my-data/patient-consents.ts";
import { factsOf, ordersInSight, type PatientOrderRecord } from "./my-data/patient-orders.ts";
import { readRequests } from "./my-data/request-store.ts";
import { owedOf, type Proof, proofOf } from "./my-data/rights.ts";
import { requestPart } from "./operations.ts";

/**
 * A patient's right that is exercised: by the patient with a link and its code, or by an operator on the patient's
 * behalf.
 */
export interface RightsAct {
  readonly patient: Beneficiary;
  /** The provider that received the request. */
  readonly providerId: string;
  /** `patient` or `operator:<name>`. */
  readonly actor: string;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * The data that is kept of a patient. An operator, who has checked the identity, gets everything under the RUT; a link
 * gets what the owner of the registered mailbox may see (ADR `0039-a-patients-data`). Each reading is recorded in the
 * audit log.
 */
export async function seeData(
  { db, ids }: { readonly db: Database; readonly ids: Ids },
  act: RightsAct,
): Promise<PatientData> {
  return inTransaction(db, async (tx) => {
    const patient = await lockPatient(tx, act.patient);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: act.providerId,
      actor: act.actor,
      credentialId: null,
      act: "patient_data.read",
      subject: { kind: "beneficiary", id: patient.id },
      at: act.now,
    });
    return collect(tx, patient, { proof: proofOf(act.actor), now: act.now });
  });
}

function planPart({ plan, status, validUntil, paidBy }: Awaited<ReturnType<typeof patientPlans>>[number]) {
  return { plan, status, valid_until: validUntil?.toISOString() ?? null, paid_by: paidBy };
}

async function collect(
  db: Database,
  patient: Beneficiary,
  { proof, now }: { readonly proof: Proof; readonly now: Date },
): Promise<PatientData> {
  const { id, rut } = patient;
  const orders = await ordersInSight(db, patient, proof);
  const claims = await patientClaims(db, id);
  const expenses = expensesInSight(await patientExpenses(db, id), { proof, orders });
  const plans = await patientPlans(db, id);
  const changes = await patientEmailChanges(db, id);
  const cards = await cardsKeptOf(db, patient);
  const uses = await usesOfSavedCards(db, id);
  const providers = await providerNames(
    db,
    [...expenses, ...plans, ...cards, ...uses].map(({ providerId }) => providerId),
  );
  const erasure = await readErasure(db, id);
  return {
    exported_at: now.toISOString(),
    patient: {
      rut,
      first_name: patient.firstName,
      last_name: patient.lastName,
      email: patient.email,
      phone_number: patient.phoneNumber,
      insurer: patient.insurer,
      registered_at: patient.createdAt.toISOString(),
    },
    insurer_access: {
      kept: patient.sealedInsurerAccess !== null,
      since: patient.insurerAccessAt?.toISOString() ?? null,
    },
    subscription: plans[0] === undefined ? null : planPart(plans[0]),
    subscriptions: plans.map((plan) => ({ ...planPart(plan), provider: providers.get(plan.providerId) ?? "" })),
    consents: await consentsInSight(db, patient, { proof, orders }),
    orders: orders.map((order) => orderPart(order, claims)),
    expenses: expenses.map((expense) => expensePart(expense, providers.get(expense.providerId) ?? "")),
    saved_cards: cards.map((card) => savedCardPart(card, uses, providers)),
    email_changes: changes.map(({ changedAt, objectedAt }) => ({
      changed_at: changedAt.toISOString(),
      objected_at: objectedAt?.toISOString() ?? null,
    })),
    owed: owedOf(orders.map(factsOf)),
    requests: (await readRequests(db, id)).map(requestPart),
    erasure:
      erasure === null
        ? null
        : {
            status: erasure.state === "done" ? "erased" : "waiting",
            requested_at: erasure.requestedAt.toISOString(),
          },
  };
}

/** Clinics submit receipts by the RUT alone. With a proof of the mailbox, only receipts of visible orders are shown. */
function expensesInSight(
  expenses: readonly ExpenseSummary[],
  { proof, orders }: { readonly proof: Proof; readonly orders: readonly PatientOrderRecord[] },
): readonly ExpenseSummary[] {
  if (proof === "identity") return expenses;
  return expenses.filter(({ orderId }) => orders.some(({ order }) => order.orderId === orderId));
}

/** The part of an order that its patient sees. */
export function orderPart(
  { order, providerName, creditRefusal, agreement }: PatientOrderRecord,
  claims: readonly ClaimSummary[],
): PatientData["orders"][number] {
  const { customer } = order;
  const details: Pick<PatientData["orders"][number], keyof OrderDetails> = detailsPart(order);
  const claim = claims.find(({ orderId }) => orderId === order.orderId);
  return {
    order_token: order.orderId,
    provider: providerName,
    reference: order.reference,
    status: publishedStatus(order.state),
    total_amount: order.total,
    refunded_amount: order.refunded,
    items: null,
    ...details,
    customer: {
      rut: customer.rut,
      first_name: customer.firstName,
      last_name: customer.lastName,
      email: customer.email,
      phone_number: customer.phoneNumber,
    },
    card: order.card === null ? null : paymentMethod(order.card),
    created_at: order.createdAt.toISOString(),
    paid_at: order.paidAt?.toISOString() ?? null,
    charges: order.payments.map(({ kind, status, amount, createdAt }) => ({
      kind,
      status,
      amount,
      at: createdAt.toISOString(),
    })),
    credit_refusal:
      creditRefusal === null
        ? null
        : { refused_at: creditRefusal.at.toISOString(), reasons: [...creditRefusal.reasons] },
    agreement: agreement === null ? null : [...agreement],
    claim:
      claim === undefined
        ? null
        : {
            status: claim.state,
            filed_at: claim.filedAt?.toISOString() ?? null,
            reason: claim.reason,
            reimbursed_amount: claim.reimbursed === null ? null : clp(claim.reimbursed),
          },
  };
}

function savedCardPart(
  card: SavedCard,
  uses: readonly SavedCardUse[],
  providers: ReadonlyMap<string, string>,
): NonNullable<PatientData["saved_cards"]>[number] {
  return {
    ...savedCardView(card),
    provider: providers.get(card.providerId) ?? "",
    saved_at: card.savedAt.toISOString(),
    removing: card.state === "removing",
    uses: uses
      .filter(({ savedCardId }) => savedCardId === card.id)
      .map(({ providerId, orderId, at }) => ({
        provider: providers.get(providerId) ?? "",
        order_token: orderId,
        at: at.toISOString(),
      })),
  };
}

function expensePart(expense: ExpenseSummary, provider: string): PatientData["expenses"][number] {
  return {
    id: expense.id,
    provider,
    order_token: expense.orderId,
    status: expense.status,
    name: expense.name,
    date: expense.serviceDate,
    receipt_id: expense.receiptId,
    receipt_rut: expense.receiptRut,
    doctor_rut: expense.doctorRut,
    total: expense.total === null ? null : clp(expense.total),
    unread_fields: { ...expense.unread },
    files: [...expense.files],
    received_at: expense.receivedAt.toISOString(),
  };
}
