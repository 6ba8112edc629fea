import type * as z from "zod/mini";
import { deadlineOf, publishedCollection } from "../collection/collection.ts";
import type { expenseResponseSchema } from "../contract/expenses.ts";
import {
  createOrderRequestSchema,
  type OrderStatus,
  type orderSchema,
  type patientOrderSchema,
  type refundSchema,
} from "../contract/orders.ts";
import { type Clp, clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { parseRut } from "../contract/vocabulary/rut.ts";
import { publishedStatus } from "../orders/order.ts";
import {
  type KeptMovement,
  newOrder,
  type OrderCard,
  type OrderRecord,
  type PaymentRecord,
  type RefundRecord,
} from "../orders/order-record.ts";
import { detailsPart, partnerOrder, patientOrder, type RelatedParts, refundPart } from "../orders/order-view.ts";
import { shownQuote } from "../orders/quote.ts";
import { orderNotes } from "./notes/orders.ts";
import { exampleOf } from "./notes/schema-note.ts";

/** The cost of 40.000 pesos now and later, with a commission of 7 %. */
export const quoteExample = shownQuote(
  {
    total: clp(40_000),
    commissionBasisPoints: 700,
    commissionTax: { regime: "taxed_service" },
    financingProvider: "Financiera de Prueba",
    annualCost: { convention: "linear", dayBase: 365 },
    now: new Date("2026-11-20T15:04:05.000Z"),
  },
  [
    { kind: "contract", version: "2026-12" },
    { kind: "summary_sheet", version: "2026-12" },
    { kind: "privacy_notice", version: "2026-11" },
  ],
);

type OrderOnTheWire = z.input<typeof orderSchema>;
type PatientOrderOnTheWire = z.input<typeof patientOrderSchema>;

export const orderHashExample = "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11" as OrderId;
const createdAt = new Date("2026-11-20T15:04:05.000Z");
const identifiedAt = new Date("2026-11-20T15:06:40.000Z");
const readyAt = new Date("2026-11-20T15:07:52.000Z");
const paidAt = new Date("2026-11-20T15:08:41.000Z");
const cancelledAt = new Date("2026-11-20T15:20:12.000Z");
const card: OrderCard = {
  id: "e2b6d9f0-1c3a-4e57-b1d8-7a9c0f4e5d21",
  brand: "visa",
  last4: "6623",
  kind: "credit",
  expMonth: 12,
  expYear: 2030,
  holderName: "CAMILA ROJAS",
};

const issuer = { name: "AAPD de Prueba SpA", rut: parseRut("76904444-2") };

const request = createOrderRequestSchema.parse(exampleOf(orderNotes.CreateOrderRequest));
const { email = "" } = request.customer;

/** The order that the request creates: 12.000 today and 28.000 later, with a commission of 7 %. */
const created = newOrder(request, {
  ...{ providerId: "", orderId: orderHashExample, email, center: null, traceparent: null, now: createdAt },
  settings: { commissionBasisPoints: 700, commissionTax: { regime: "taxed_service", issuer } },
});

const firstPayment: PaymentRecord = {
  id: "c7a8e0d4-64a2-4f5b-8a9c-5f8f7c2d1e06",
  kind: "first",
  status: "captured",
  amount: created.first,
  ...{ commission: ZERO, returnAccepted: ZERO, commissionReturnAccepted: ZERO, returned: ZERO },
  ...{ disputed: ZERO, lost: ZERO, recoveryAccepted: ZERO },
  card,
  chargeId: null,
  voucher: {},
  declineReason: null,
  declineLimit: null,
  createdAt: paidAt,
};

const movementId = "5f0c9f0e-6a43-4d1b-8f3e-1d2c3b4a5968";
const isMoved = { status: "done", isTaken: false, refusal: null, isTransferred: false } as const;

function takenOff(amount: Clp, commission: Clp): KeptMovement {
  return { ...isMoved, id: movementId, kind: "loan_reduction", paymentId: null, amount, commission };
}

function returnedToCard(amount: Clp): KeptMovement {
  return { ...isMoved, id: movementId, kind: "card_return", paymentId: firstPayment.id, amount, commission: ZERO };
}

const refund: RefundRecord = {
  id: "8d3f1c52-9f0b-4f6e-9d6a-41f1f2b0c9e3",
  amount: clp(10_000),
  wholeRest: false,
  status: "succeeded",
  allocated: true,
  reason: "Examen no realizado",
  refundReference: "dev-77",
  keyHash: null,
  movements: [takenOff(clp(10_000), clp(700))],
  createdAt: new Date("2026-11-21T12:30:00.000Z"),
};

const authorised = { card, identityValidatedAt: identifiedAt, payments: [firstPayment], updatedAt: paidAt };
const paid: OrderRecord = { ...created, ...authorised, state: "paid", paidAt };
const afterRefund: OrderRecord = { ...paid, updatedAt: refund.createdAt };

/** The order in each state that partners see. */
export const orderOfStatus: Readonly<Record<OrderStatus, OrderRecord>> = {
  pending: created,
  partially_paid: { ...created, ...authorised, state: "first_captured" },
  paid,
  partially_refunded: {
    ...afterRefund,
    state: "partially_refunded",
    refunded: refund.amount,
    refundAccepted: refund.amount,
    deferredCancelled: refund.amount,
    refunds: [refund],
  },
  refunded: {
    ...afterRefund,
    state: "refunded",
    refunded: paid.total,
    refundAccepted: paid.total,
    deferredCancelled: paid.deferred,
    payments: [{ ...firstPayment, returnAccepted: paid.first, returned: paid.first }],
    refunds: [
      {
        ...refund,
        amount: paid.total,
        wholeRest: true,
        movements: [takenOff(paid.deferred, clp(2_800)), returnedToCard(paid.first)],
      },
    ],
  },
  cancelled: { ...created, state: "cancelled", updatedAt: cancelledAt },
};

/** The order if its credit is refused before anything is charged. */
export const failedOrder: OrderRecord = {
  ...created,
  ...authorised,
  payments: [{ ...firstPayment, status: "failed" }],
  state: "payment_failed",
};

/** The paid order with a failed full refund, because its card accepted no money back. */
export const unrefundedOrder: OrderRecord = {
  ...afterRefund,
  refunds: [
    {
      ...refund,
      amount: paid.total,
      status: "failed",
      movements: [{ ...returnedToCard(paid.first), status: "refused", refusal: "too_old" }],
      reason: "Atención no realizada",
      wholeRest: true,
    },
  ],
};

const NOTHING_RELATED: RelatedParts = { expense: null, collection: null, claim: null, missing_step: null };

/** The collection of the paid order before anything has made it due. */
export const waitingCollection = publishedCollection({
  state: "scheduled",
  dueAt: deadlineOf(paidAt),
  trigger: null,
});

/** An order as `client_secret` reads it, in any state. */
export function orderExample(status: OrderStatus): OrderOnTheWire {
  const isCharged = status === "paid" || status === "partially_refunded";
  const related = { ...NOTHING_RELATED, collection: isCharged ? waitingCollection : null };
  return partnerOrder(orderOfStatus[status], related, createdAt);
}

const dayBefore = new Date("2026-11-19T13:20:30.000Z");

/** Another order, cancelled before the first was created, as `client_secret` reads it. */
export const olderOrderExample: OrderOnTheWire = partnerOrder(
  {
    ...orderOfStatus.cancelled,
    orderId: "6e1d9a74-38b5-4f02-a6c7-90d4e5b2c813" as OrderId,
    reference: "consulta-2026-000119",
    createdAt: dayBefore,
    updatedAt: new Date("2026-11-19T16:45:00.000Z"),
  },
  NOTHING_RELATED,
  dayBefore,
);

export const refundExample: z.input<typeof refundSchema> = refundPart(orderOfStatus.partially_refunded, refund);

const identified: OrderRecord = { ...created, identityValidatedAt: identifiedAt, updatedAt: identifiedAt };
const ready: OrderRecord = { ...identified, card, updatedAt: readyAt };

/** The unpaid order with a validated identity, as `client_id` reads it. */
export const identifiedOrderExample: PatientOrderOnTheWire = patientOrder(identified, identifiedAt);

/** The unpaid order with a validated identity and a card, as `client_id` reads it. */
export const readyOrderExample: PatientOrderOnTheWire = patientOrder(ready, readyAt);

/** An order as `client_id` reads it, in any state. */
export function patientOrderExample(status: OrderStatus): PatientOrderOnTheWire {
  return patientOrder(orderOfStatus[status], createdAt);
}

/** The paid order as its patient's data shows it. */
export const exportedOrderExample = {
  order_token: orderHashExample,
  reference: paid.reference,
  status: publishedStatus(paid.state),
  total_amount: paid.total,
  refunded_amount: paid.refunded,
  ...detailsPart(paid),
  customer: orderExample("paid").customer,
  card: patientOrderExample("paid").payment_method,
  created_at: createdAt.toISOString(),
  paid_at: paidAt.toISOString(),
  charges: [{ kind: firstPayment.kind, status: firstPayment.status, amount: paid.first, at: paidAt.toISOString() }],
};

export const expenseExample: z.input<typeof expenseResponseSchema> = {
  id: "5b0f5f6e-7d58-4d0f-8a52-3a0c8f1f9b77",
  status: "waiting_order",
  aapd: true,
  skip_pay_order_id: orderHashExample,
  created: true,
  processed_files: [{ name: "boleta.pdf", bytes: 48_213, type: "application/pdf" }],
  submission_status: "waiting_order",
  missing_document_types: [],
  unread_fields: [],
};
