import type * as z from "zod/mini";
import type { expenseResponseSchema } from "../contract/expenses.ts";
import type { OrderStatus, orderSchema, patientOrderSchema, refundSchema } from "../contract/orders.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { vatIn } from "../contract/vocabulary/commission-tax.ts";
import { shownQuote } from "../orders/quote.ts";

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
type InstalmentStatus = OrderOnTheWire["plan"]["data"]["installments"][number]["status"];

export const orderHashExample = "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11";
const createdAt = "2026-11-20T15:04:05.000Z";
const paidAt = "2026-11-20T15:08:41.000Z";
const card = { brand: "visa", last4: "6623", kind: "credit" } as const;

/** 40.000 pesos: 12.000 today and 28.000 later, with a commission of 7 %. */
const total = 40_000;
const first = 12_000;
const deferred = 28_000;

export const refundExample: z.input<typeof refundSchema> = {
  id: "8d3f1c52-9f0b-4f6e-9d6a-41f1f2b0c9e3",
  amount: 10_000,
  status: "succeeded",
  reason: "Examen no realizado",
  refund_reference: "dev-77",
  moved: {
    off_later_charge: { amount: 10_700, commission: 700 },
    to_cards: [],
    by_bank: { amount: 0, commission: 0 },
    by_transfer: { amount: 0, commission: 0 },
  },
  created_at: "2026-11-21T12:30:00.000Z",
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

interface OrderState {
  readonly paid: number;
  readonly pending: number;
  readonly captured: number;
  readonly refunded: number;
  readonly instalments: readonly [InstalmentStatus, InstalmentStatus];
}

const orderStates: Readonly<Record<OrderStatus, OrderState>> = {
  pending: { paid: 0, pending: total, captured: 0, refunded: 0, instalments: ["pending", "pending"] },
  partially_paid: {
    paid: first,
    pending: deferred,
    captured: first,
    refunded: 0,
    instalments: ["captured", "pending"],
  },
  paid: { paid: total, pending: 0, captured: first, refunded: 0, instalments: ["captured", "scheduled"] },
  partially_refunded: {
    paid: total,
    pending: 0,
    captured: first,
    refunded: refundExample.amount,
    instalments: ["captured", "scheduled"],
  },
  refunded: { paid: total, pending: 0, captured: first, refunded: total, instalments: ["refunded", "cancelled"] },
  cancelled: { paid: 0, pending: 0, captured: 0, refunded: 0, instalments: ["cancelled", "cancelled"] },
};

function commonParts(status: OrderStatus) {
  const { paid, pending, captured, refunded, instalments } = orderStates[status];
  const isUntouched = status === "pending" || status === "cancelled";
  // An order that was never paid has no later charge.
  const commission = clp(status === "cancelled" ? 0 : Math.round((total - refunded) * 0.07));
  return {
    hash: orderHashExample,
    status,
    reference: "consulta-2026-000123",
    total_amount: total,
    paid_amount: paid,
    pending_amount: pending,
    customer: {
      rut: "40100000-3",
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: "camila@example.com",
      phone_number: "+56 9 1234 5678",
    },
    plan: {
      name: "aapd_30_70" as const,
      data: {
        installments: [
          { number: 1, percentage: 30, amount: first, due: "now", status: instalments[0] },
          {
            number: 2,
            percentage: 70,
            amount: deferred,
            due: "deferred",
            latest_due_date: "2027-01-04",
            status: instalments[1],
          },
        ],
        commission: {
          percentage: 7,
          amount: commission,
          regime: "taxed_service",
          vat: vatIn({ regime: "taxed_service" }, commission),
          vat_included: true,
          charged_with: "deferred",
        },
      },
    } satisfies OrderOnTheWire["plan"],
    created_at: createdAt,
    currency: "CLP" as const,
    captured_amount: captured,
    refunded_amount: refunded,
    updated_at: isUntouched ? createdAt : paidAt,
    readiness: { identity_validated: !isUntouched, payment_method_added: !isUntouched },
  };
}

const firstPayment: OrderOnTheWire["payments"][number] = {
  id: "c7a8e0d4-64a2-4f5b-8a9c-5f8f7c2d1e06",
  kind: "first",
  status: "captured",
  amount: first,
  returned_amount: 0,
  card,
  decline_reason: null,
  created_at: paidAt,
};

/** An order as `client_secret` reads it, in any state. */
export function orderExample(status: OrderStatus): OrderOnTheWire {
  const isCharged = orderStates[status].captured > 0;
  const hasRefund = status === "partially_refunded";
  return {
    ...commonParts(status),
    payments: isCharged ? [{ ...firstPayment, returned_amount: status === "refunded" ? first : 0 }] : [],
    refunds: hasRefund ? [refundExample] : [],
    expense: null,
    claim: null,
    missing_step: null,
    collection:
      status === "paid" || hasRefund ? { status: "scheduled", due_at: "2027-01-04T12:00:00.000Z", reason: null } : null,
  };
}

/** An order whose credit was refused before anything was charged, as `client_secret` reads it. */
export function failedOrderExample(): OrderOnTheWire {
  const order = orderExample("pending");
  const [now, later] = order.plan.data.installments;
  const { commission } = order.plan.data;
  return {
    ...order,
    plan: {
      ...order.plan,
      data: {
        installments: [
          { ...now, status: "failed" },
          { ...later, status: "cancelled" },
        ],
        commission: { ...commission, amount: 0, vat: 0 },
      },
    },
    updated_at: paidAt,
    readiness: { identity_validated: true, payment_method_added: true },
    payments: [{ ...firstPayment, status: "failed" }],
  };
}

/** A paid order with a failed full refund, because its card accepted no money back. */
export function unrefundedOrderExample(): OrderOnTheWire {
  const nothing = { amount: 0, commission: 0 };
  const failed = {
    ...refundExample,
    amount: total,
    status: "failed" as const,
    reason: "Atención no realizada",
    refused_because: "too_old" as const,
    moved: { off_later_charge: nothing, to_cards: [], by_bank: nothing, by_transfer: nothing },
  };
  return { ...orderExample("paid"), refunds: [failed] };
}

/** An order as `client_id` reads it, in any state. */
export function patientOrderExample(status: OrderStatus): PatientOrderOnTheWire {
  const common = commonParts(status);
  return {
    ...common,
    customer: { ...common.customer, email: "c•••@e•••.com", phone_number: "+56•••••678" },
    paid_at: orderStates[status].captured > 0 ? paidAt : null,
    deferred_cancelled: Math.min(orderStates[status].refunded, deferred),
    returned_amount: Math.max(orderStates[status].refunded - deferred, 0),
    payment_method:
      orderStates[status].captured > 0
        ? {
            id: "e2b6d9f0-1c3a-4e57-b1d8-7a9c0f4e5d21",
            ...card,
            exp_month: 12,
            exp_year: 2030,
            holder_name: "CAMILA ROJAS",
          }
        : null,
  };
}
