/* The parts of a payment page, computed from the order's records. */

import type { FilingRead } from "../../claims/claim-reads.ts";
import { claimView } from "../../claims/filing-facts.ts";
import { cardOf, dueOf, isMandateRevoked } from "../../collection/collection.ts";
import { type ChargeFacts, upcomingCharge } from "../../collection/upcoming-charge.ts";
import type { OrderClaim } from "../../contract/orders.ts";
import type { PaidPart, PaymentClaim, PaymentPage, SecondCharge } from "../../contract/payment-page.ts";
import { addClp, type Clp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { movedBy, paidAndKept } from "../../orders/order-amounts.ts";
import type { OrderCard, OrderRecord } from "../../orders/order-record.ts";
import { latestDueDate } from "../../orders/quote.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";

/** The amounts and days on the page. `now` is in the provider's time. */
export function paymentParts(
  { order, charge, filing }: { readonly order: OrderRecord; readonly charge: ChargeFacts; readonly filing: FilingRead },
  now: Date,
) {
  const claim = claimPart(filing, charge);
  const second_charge = secondChargePart(charge, now);
  const reimbursed = claim?.reimbursed_amount ?? null;
  const own_cost = reimbursed === null ? null : ownCost(order, second_charge.upcoming, reimbursed);
  return { paid: paidParts(order), refunds: refundParts(order), claim, second_charge, own_cost };
}

const cardPart = ({ brand, last4 }: OrderCard) => ({ brand, last4 });

/** What the patient has paid, oldest first. */
function paidParts({ payments, paidOtherwise }: Pick<OrderRecord, "payments" | "paidOtherwise">): PaidPart[] {
  const byCard = payments
    .filter(({ status }) => status === "captured")
    .map(
      (payment): PaidPart => ({
        kind: payment.kind,
        amount: payment.amount,
        commission: payment.commission,
        returned_amount: payment.returned,
        disputed_amount: payment.disputed,
        lost_amount: payment.lost,
        at: payment.createdAt.toISOString(),
        card: cardPart(payment.card),
        authorization_code: payment.voucher.authorisationCode ?? null,
      }),
    );
  if (paidOtherwise === null) return byCard;
  const { amount, commission, returnAccepted, createdAt } = paidOtherwise;
  const otherwise: PaidPart = {
    kind: "deferred",
    amount,
    commission,
    returned_amount: returnAccepted,
    disputed_amount: ZERO,
    lost_amount: ZERO,
    at: createdAt.toISOString(),
    card: null,
    authorization_code: null,
  };
  return [...byCard, otherwise];
}

/** The refunds of an order, oldest first. */
function refundParts(order: OrderRecord): PaymentPage["refunds"] {
  return order.refunds.map((refund) => {
    const moved = movedBy(order, refund);
    const made = { ...refund, movements: refund.movements.filter(({ isTransferred }) => isTransferred) };
    return {
      amount: refund.amount,
      status: refund.status,
      at: refund.createdAt.toISOString(),
      off_second_charge: moved.offLaterCharge.amount,
      to_cards: addClp(...moved.toCards.map(({ amount }) => amount)),
      by_bank: moved.byBank.amount,
      by_transfer: moved.byTransfer.amount,
      transferred: movedBy(order, made).byTransfer.amount,
    };
  });
}

/** The claim of a paid order as its patient sees it; `null` if the order was refunded before there was one. */
function claimPart(
  { facts, claim, patient }: FilingRead,
  { collection, order }: Pick<ChargeFacts, "collection" | "order">,
): PaymentClaim | null {
  const view = claimView(facts);
  const isWaiting = view === null && facts.expense === null && facts.order !== "refunded";
  if (view === null && !isWaiting) return null;
  const status = statusOf(view, facts);
  const announced = collection.trigger === null ? collection.blockedAnnouncement : null;
  return {
    status,
    since: sinceOf(status, claim, collection.paidAt).toISOString(),
    filed_at: claim?.filedAt?.toISOString() ?? null,
    insurer: patient?.insurer ?? null,
    missing_document_types: [...(view?.missing_document_types ?? [])],
    reason: status === "rejected" ? (claim?.reason ?? null) : null,
    charged_on_if_blocked:
      status === "access_blocked" && announced !== null && dueOf(order).amount > 0
        ? santiagoDay(announced.chargeAt)
        : null,
    // 0 if the insurer named no amount.
    reimbursed_amount: status === "approved" ? claim?.reimbursed || null : null,
  };
}

/**
 * A filed claim is not followed any more once the patient has withdrawn what that needs. After a full refund its answer
 * is not awaited, because there is nothing left to reimburse.
 */
function statusOf(view: OrderClaim | null, { isWithdrawn, order }: FilingRead["facts"]): PaymentClaim["status"] {
  if (view === null) return isWithdrawn ? "stopped" : "waiting_for_receipt";
  const isAsked = view.status === "filed" || view.status === "access_blocked";
  return isAsked && (isWithdrawn || order === "refunded") ? "stopped" : view.status;
}

function sinceOf(status: PaymentClaim["status"], claim: FilingRead["claim"], paidAt: Date): Date {
  if (claim === null) return paidAt;
  const { filedAt, blockedSince, updatedAt } = claim;
  if (status === "filed") return filedAt ?? updatedAt;
  return status === "access_blocked" ? (blockedSince ?? updatedAt) : updatedAt;
}

/** The second charge of a paid order. */
function secondChargePart(facts: ChargeFacts, at: Date): SecondCharge {
  const { collection, order } = facts;
  const upcoming = upcomingCharge(facts, at);
  return {
    status: secondChargeStatus(order, upcoming),
    upcoming: { ...upcoming, day: upcoming.day ?? dayToPay(facts, upcoming, at) },
    card: cardPart(cardOf(collection, order)),
    held_by: upcoming.status === "on_hold" || upcoming.status === "card_needed" ? holderOf(facts) : null,
    declined: upcoming.status === "none" ? null : lastDeclined(order),
  };
}

/** The last day to pay what this card is not charged; null if it is due already. */
function dayToPay({ collection }: ChargeFacts, { status, reason }: SecondCharge["upcoming"], at: Date) {
  const latest = latestDueDate(collection.paidAt);
  return status === "card_needed" && reason === null && santiagoDay(at) <= latest ? latest : null;
}

function secondChargeStatus(order: OrderRecord, upcoming: SecondCharge["upcoming"]): SecondCharge["status"] {
  if (order.paidOtherwise !== null) return "paid_otherwise";
  if (order.payments.some(({ kind, status }) => kind === "deferred" && status === "captured")) return "collected";
  if (order.deferredWrittenOffAt !== null) return "written_off";
  return upcoming.status === "none" ? "cancelled" : "pending";
}

/**
 * Why no charge is planned for now; `null` if only the announcement to the patient is missing, or after a chargeback an
 * operator's decision.
 */
function holderOf({ collection, order, isDisputed, isBlocked }: ChargeFacts): SecondCharge["held_by"] {
  if (isDisputed && order.payments.some(({ disputed, lost }) => disputed > lost)) return "chargeback";
  if (isMandateRevoked(collection, order)) return "mandate_revoked";
  if (collection.state === "failed" || lastDeclined(order) !== null) return "card_declined";
  if (isBlocked) return "data_blocked";
  return dueOf(order).amount === 0 ? "refund" : null;
}

function lastDeclined({ payments }: OrderRecord): SecondCharge["declined"] {
  const last = payments.filter(({ kind }) => kind === "deferred").at(-1);
  if (last?.status !== "declined") return null;
  const { amount, card, declineReason, createdAt } = last;
  return { at: createdAt.toISOString(), amount, card: cardPart(card), reason: declineReason ?? "declined" };
}

/**
 * The final cost of an order to the patient: paid and kept amounts, plus the rest still to be charged, less the
 * reimbursement. `null` while a chargeback is undecided.
 */
function ownCost(order: OrderRecord, upcoming: SecondCharge["upcoming"], reimbursed: Clp): Clp | null {
  if (order.payments.some(({ disputed, lost }) => disputed > lost)) return null;
  const cost = addClp(upcoming.amount, paidAndKept(order));
  return reimbursed > cost ? ZERO : subtractClp(cost, reimbursed);
}
