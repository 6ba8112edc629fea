import { canRetry } from "../contract/decline-retry.ts";
import type {
  DeclinedCard,
  Order,
  OrderStatus,
  PatientOrder,
  PaymentMethod,
  Plan,
  Refund,
  ShownPage,
  TaxDocumentView,
} from "../contract/orders.ts";
import { DEFERRED_PERCENTAGE, FIRST_PERCENTAGE } from "../contract/terms.ts";
import type { CardExpiry, ExternalPage } from "../contract/vocabulary/card.ts";
import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import { vatIn } from "../contract/vocabulary/commission-tax.ts";
import { maskEmail, maskPhone } from "../contract/vocabulary/email.ts";
import { isPayable, publishedStatus, wasPaid } from "./order.ts";
import { commissionOf, type MovedAmount, type MovedByRefund, movedBy } from "./order-amounts.ts";
import {
  type OrderCard,
  type OrderDetails,
  type OrderRecord,
  type PaidOtherwise,
  type PaymentRecord,
  type RefundRecord,
  refusalOf,
  type TaxDocument,
} from "./order-record.ts";
import { latestDueDate } from "./quote.ts";
import { readinessOf } from "./readiness.ts";

/** The parts that other features add to the view of an order. */
export type RelatedParts = Pick<Order, "expense" | "collection" | "claim" | "missing_step">;

/** The order as a client_secret sees it. `now` is in the provider's time. */
export function partnerOrder(order: OrderRecord, related: RelatedParts, now: Date): Order {
  return {
    ...commonParts(order, now),
    center: order.center,
    payments: [...order.payments.map(paymentPart), ...paidOtherwisePart(order.paidOtherwise)],
    refunds: order.refunds.map((refund) => refundPart(order, refund)),
    ...related,
    tax_documents: order.taxDocuments.map(taxDocumentPart),
  };
}

/** A tax document of the commission; its number and address are null until it is issued. */
function taxDocumentPart({ kind, net, vat, dueAt, issued }: TaxDocument): TaxDocumentView {
  return {
    kind,
    amount: addClp(net, vat),
    net,
    vat,
    due_at: dueAt.toISOString(),
    number: issued?.number ?? null,
    url: issued?.url ?? null,
    issued_at: issued?.at.toISOString() ?? null,
  };
}

/**
 * The order as a client_id sees it. client_id is public, so e-mail and phone are masked and the partner's own fields
 * are omitted.
 */
export function patientOrder(order: OrderRecord, now: Date): PatientOrder {
  const common = commonParts(order, now);
  const customer = {
    ...common.customer,
    email: maskEmail(order.customer.email),
    phone_number: maskPhone(order.customer.phoneNumber),
  };
  return {
    ...common,
    customer,
    paid_at: paidAt(order)?.toISOString() ?? null,
    deferred_cancelled: order.deferredCancelled,
    returned_amount: addClp(...order.payments.map(({ returned }) => returned)),
    ...returnedElsewhere(order),
    ...(order.paidOtherwise === null ? {} : { paid_otherwise: order.paidOtherwise.amount }),
    payment_method: order.card === null ? null : paymentMethod(order.card),
    ...declinedCardsPart(order),
  };
}

function declinedCardsPart(order: OrderRecord): Pick<PatientOrder, "declined_cards"> {
  const cards = order.paidAt === null ? declinedCards(order) : [];
  return cards.length > 0 ? { declined_cards: [...cards] } : {};
}

/**
 * Each card once, with its last reason. A card declined for a mistyped security code may be entered again as a new
 * card.
 */
export function declinedCards(order: Pick<OrderRecord, "payments">): readonly DeclinedCard[] {
  const declined = order.payments.filter(
    ({ status, declineReason, declineLimit }) => status === "declined" && !canRetry(declineReason, declineLimit),
  );
  const cards = declined.map(
    ({ card, declineReason }): DeclinedCard => ({
      ...paymentMethod(card),
      ...(declineReason !== null && { decline_reason: declineReason }),
    }),
  );
  return [...new Map(cards.map((card) => [card.id, card])).values()];
}

/** Amounts that refunds returned by another method than card. */
function returnedElsewhere(order: OrderRecord): Pick<PatientOrder, "transferred_amount" | "bank_returned_amount"> {
  const moved = order.refunds.map((refund) => movedBy(order, refund));
  const transferred = addClp(...moved.map(({ byTransfer }) => byTransfer.amount));
  const byBank = addClp(...moved.map(({ byBank: returned }) => returned.amount));
  return {
    ...(transferred > 0 ? { transferred_amount: transferred } : {}),
    ...(byBank > 0 ? { bank_returned_amount: byBank } : {}),
  };
}

/**
 * When the order was paid, or else when the first instalment was captured: a provider that captures first has the money
 * before the order is paid.
 */
function paidAt(order: OrderRecord): Date | null {
  const first = order.payments.find(({ kind, status }) => kind === "first" && status === "captured");
  return order.paidAt ?? first?.createdAt ?? null;
}

export function paymentMethod(card: OrderCard): PaymentMethod {
  const { id, brand, last4, kind, holderName } = card;
  return { id, brand, last4, kind, ...shownExpiry(card), ...(holderName !== undefined && { holder_name: holderName }) };
}

/** A page of the processor or the issuer as the widget opens it. */
export function shownPage({ url, expiresAt, display }: ExternalPage): ShownPage {
  return { url, expires_at: expiresAt.toISOString(), ...(display === "window" && { display }) };
}

/** A card's expiry, left out if the processor does not report it. */
export function shownExpiry({ expMonth, expYear }: CardExpiry): Pick<PaymentMethod, "exp_month" | "exp_year"> {
  return expMonth === undefined ? {} : { exp_month: expMonth, exp_year: expYear };
}

export function refundPart(order: OrderRecord, refund: RefundRecord): Refund {
  const refusal = refusalOf(refund);
  return {
    id: refund.id,
    amount: refund.amount,
    status: refund.status,
    reason: refund.reason,
    refund_reference: refund.refundReference,
    ...(refusal !== null && { refused_because: refusal }),
    moved: movedPart(movedBy(order, refund)),
    created_at: refund.createdAt.toISOString(),
  };
}

function movedPart({ offLaterCharge, toCards, byBank, byTransfer }: MovedByRefund): Refund["moved"] {
  return {
    off_later_charge: withCommission(offLaterCharge),
    to_cards: toCards.map(({ paymentId, card: { brand, last4, kind }, ...moved }) => ({
      payment_id: paymentId,
      card: { brand, last4, kind },
      ...withCommission(moved),
    })),
    by_bank: withCommission(byBank),
    by_transfer: withCommission(byTransfer),
  };
}

function withCommission({ amount, commission }: MovedAmount): MovedAmount {
  return { amount, commission };
}

function commonParts(order: OrderRecord, now: Date) {
  const status = publishedStatus(order.state);
  const { rut, firstName, lastName, email, phoneNumber } = order.customer;
  return {
    hash: order.orderId,
    status,
    reference: order.reference,
    total_amount: order.total,
    ...paidAndPending(order, status),
    customer: { rut, first_name: firstName, last_name: lastName, email, phone_number: phoneNumber },
    plan: planPart(order, now),
    created_at: order.createdAt.toISOString(),
    currency: "CLP" as const,
    captured_amount: capturedAmount(order),
    refunded_amount: order.refunded,
    updated_at: order.updatedAt.toISOString(),
    readiness: { ...readinessOf(order) },
    ...detailsPart(order),
  };
}

/** The details as every reader gets them. */
export function detailsPart({ details }: OrderRecord): Pick<Order & PatientOrder, keyof OrderDetails> {
  return details;
}

/** Before payment: 0 and the total. Afterwards: the total and 0. Refunds change neither. */
function paidAndPending(order: OrderRecord, status: OrderStatus): { paid_amount: Clp; pending_amount: Clp } {
  switch (status) {
    case "pending":
      return { paid_amount: ZERO, pending_amount: order.total };
    case "partially_paid":
      return { paid_amount: order.first, pending_amount: order.deferred };
    case "paid":
    case "partially_refunded":
    case "refunded":
      return { paid_amount: order.total, pending_amount: ZERO };
    case "cancelled":
      return { paid_amount: ZERO, pending_amount: ZERO };
  }
}

/** The amount that cards have paid, before refunds. */
function capturedAmount(order: OrderRecord): Clp {
  return addClp(...order.payments.filter(({ status }) => status === "captured").map(({ amount }) => amount));
}

type Instalments = Plan["data"]["installments"];

function planPart(order: OrderRecord, now: Date): Plan {
  // Counted from the payment; before the payment from today; after a cancellation from the order's last change.
  const from = order.paidAt ?? (isPayable(order.state) ? now : order.updatedAt);
  const installments: Instalments = [
    { number: 1, percentage: FIRST_PERCENTAGE, amount: order.first, due: "now", status: firstStatus(order) },
    {
      number: 2,
      percentage: DEFERRED_PERCENTAGE,
      amount: order.deferred,
      due: "deferred",
      latest_due_date: latestDueDate(from),
      status: deferredStatus(order),
    },
  ];
  const amount = commissionOf(order);
  const commission = {
    percentage: order.commissionBasisPoints / 100,
    amount,
    regime: order.commissionTax.regime,
    vat: vatIn(order.commissionTax, amount),
    vat_included: order.commissionTax.regime === "taxed_service",
    charged_with: "deferred" as const,
  };
  return { name: "aapd_30_70", data: { installments, commission } };
}

function firstStatus(order: OrderRecord): Instalments[0]["status"] {
  const captured = order.payments.find(({ kind, status }) => kind === "first" && status === "captured");
  if (captured !== undefined) return captured.returned === captured.amount ? "refunded" : "captured";
  if (order.payments.some(({ kind, status }) => kind === "first" && status === "undone") && !isPayable(order.state))
    return "refunded";
  if (order.state === "payment_failed") return "failed";
  return publishedStatus(order.state) === "cancelled" ? "cancelled" : "pending";
}

function deferredStatus(order: OrderRecord): Instalments[1]["status"] {
  if (!wasPaid(order.state)) {
    return isPayable(order.state) || order.state === "first_captured" ? "pending" : "cancelled";
  }
  const collected = order.payments.find(({ kind, status }) => kind === "deferred" && status === "captured");
  if (collected !== undefined) return collected.returned === collected.amount ? "refunded" : "collected";
  const otherwise = order.paidOtherwise;
  if (otherwise !== null) return otherwise.returnAccepted === otherwise.amount ? "refunded" : "collected";
  if (order.deferredCancelled === order.deferred) return "cancelled";
  return order.deferredFailedAt === null ? "scheduled" : "failed";
}

/** A payment by another method has no card, so the amount claimed by refunds is owed by bank transfer at once. */
function paidOtherwisePart(paid: PaidOtherwise | null): Order["payments"] {
  if (paid === null) return [];
  const { id, amount, returnAccepted, createdAt } = paid;
  return [
    {
      id,
      kind: "deferred",
      status: "captured",
      amount,
      returned_amount: returnAccepted,
      card: null,
      decline_reason: null,
      created_at: createdAt.toISOString(),
    },
  ];
}

function paymentPart(payment: PaymentRecord): Order["payments"][number] {
  const { brand, last4, kind } = payment.card;
  return {
    id: payment.id,
    kind: payment.kind,
    status: payment.status,
    amount: payment.amount,
    returned_amount: payment.returned,
    card: { brand, last4, kind },
    decline_reason: payment.declineReason,
    ...(payment.declineLimit !== null && { decline_limit: payment.declineLimit }),
    created_at: payment.createdAt.toISOString(),
  };
}
