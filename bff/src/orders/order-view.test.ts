import { describe, expect, it } from "vitest";
import { clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { ORDER_STATES, type OrderState } from "./order.ts";
import {
  AS_MADE,
  type KeptMovement,
  type OrderCard,
  type OrderRecord,
  type PaymentRecord,
  type RefundRecord,
} from "./order-record.ts";
import { partnerOrder, patientOrder } from "./order-view.ts";

const CREATED = new Date("2026-11-01T15:00:00Z");
const CHARGED = new Date("2026-11-02T15:00:00Z");
const PAID = new Date("2026-11-03T15:00:00Z");
const CHANGED = new Date("2026-11-04T15:00:00Z");
const NOW = new Date("2026-11-05T15:00:00Z");
const NOTHING_RELATED = { expense: null, collection: null };

const card: OrderCard = {
  id: "c",
  brand: "visa",
  last4: "6623",
  expMonth: 12,
  expYear: 2029,
  holderName: "CAMILA ROJAS",
  kind: "credit",
};

/** A total of 100.000, 70.000 of it deferred, at 7 %. */
const order: OrderRecord = {
  providerId: "p",
  orderId: "o" as OrderId,
  reference: "r",
  total: clp(100_000),
  first: clp(30_000),
  deferred: clp(70_000),
  commissionBasisPoints: 700,
  commissionTax: { regime: "interest" },
  details: {},
  center: null,
  customer: {
    rut: "11111111-1" as Rut,
    firstName: "Camila",
    lastName: "Rojas",
    email: "camila@example.com",
    phoneNumber: "+56912345678",
  },
  ...AS_MADE,
  traceparent: null,
  createdAt: CREATED,
  updatedAt: CHANGED,
};
const paid: OrderRecord = { ...order, state: "paid", paidAt: PAID };

function payment(given: Partial<PaymentRecord>): PaymentRecord {
  const kind = given.kind ?? "first";
  return {
    id: kind,
    kind,
    status: "captured",
    amount: kind === "first" ? order.first : order.deferred,
    commission: ZERO,
    returnAccepted: ZERO,
    commissionReturnAccepted: ZERO,
    returned: ZERO,
    disputed: ZERO,
    lost: ZERO,
    recoveryAccepted: ZERO,
    card,
    chargeId: null,
    voucher: {},
    declineReason: null,
    declineLimit: null,
    createdAt: CHARGED,
    ...given,
  };
}
const declined = payment({ status: "declined", declineReason: "insufficient_funds", createdAt: CREATED });
const captured = payment({});
const returnedFirst = payment({ returned: order.first });
const undone = payment({ status: "undone" });
const collected = payment({ kind: "deferred" });
const otherwise = {
  id: "w",
  amount: clp(77_000),
  commission: clp(7_000),
  returnAccepted: ZERO,
  commissionReturnAccepted: ZERO,
  createdAt: CHANGED,
};

function refundThat(movement: Pick<KeptMovement, "kind" | "paymentId">, given: Partial<KeptMovement> = {}) {
  const moved = {
    id: "m",
    amount: clp(10_000),
    commission: clp(700),
    isTaken: false,
    refusal: null,
    isTransferred: false,
  };
  const refund: RefundRecord = {
    id: "f",
    amount: clp(10_000),
    wholeRest: false,
    status: "succeeded",
    allocated: true,
    reason: null,
    refundReference: null,
    keyHash: null,
    movements: [{ ...moved, status: "done", ...movement, ...given } as KeptMovement],
    createdAt: CHANGED,
  };
  return refund;
}

const asPartner = (shown: OrderRecord) => partnerOrder(shown, NOTHING_RELATED, NOW);
const asPatient = (shown: OrderRecord) => patientOrder(shown, NOW);
const statusOf = (shown: OrderRecord) => asPartner(shown).plan.data.installments.map(({ status }) => status);

describe("the first instalment", () => {
  it.each<readonly [status: string, OrderState, readonly PaymentRecord[]]>([
    ["pending", "awaiting_payment", [declined]],
    ["pending", "awaiting_payment", [undone]],
    ["pending", "paying", [payment({ status: "processing" })]],
    ["captured", "first_captured", [declined, captured]],
    ["captured", "paid", [captured]],
    ["captured", "partially_refunded", [payment({ returned: clp(29_999) })]],
    ["refunded", "refunded", [declined, returnedFirst]],
    ["refunded", "credit_refused", [undone]],
    ["failed", "payment_failed", [declined]],
    ["cancelled", "cancelled", [declined]],
    ["cancelled", "expired", []],
  ])("is %s if the order is %s", (status, state, payments) => {
    expect(statusOf({ ...order, state, payments })[0]).toBe(status);
  });
});

describe("the cards that can no longer pay", () => {
  const other: OrderCard = { ...card, id: "d", last4: "0568" };
  const refused = payment({ status: "declined", declineReason: "card_blocked" });

  it("are those with a hard decline, each once, even after another card has replaced them", () => {
    const shown = asPatient({ ...order, card: other, payments: [declined, refused, refused] });
    expect(shown.declined_cards?.map(({ id }) => id)).toEqual([card.id]);
  });

  it("carry the reason of their last decline, if the issuer gave one", () => {
    const mistyped = payment({ status: "declined", declineReason: "security_code_wrong" });
    const unexplained = payment({ status: "declined", declineReason: null, card: other });
    const shown = asPatient({ ...order, payments: [refused, mistyped, unexplained] });
    expect(shown.declined_cards?.map(({ decline_reason }) => decline_reason)).toEqual([
      "security_code_wrong",
      undefined,
    ]);
  });

  it("exclude cards that another try or a lower amount can help, and are none once the order is paid", () => {
    const limited = payment({ ...refused, declineLimit: "amount" });
    expect(asPatient({ ...order, payments: [declined, limited, undone] })).not.toHaveProperty("declined_cards");
    expect(asPatient({ ...paid, payments: [refused, captured] })).not.toHaveProperty("declined_cards");
  });
});

describe("the later instalment", () => {
  it("is pending until the order is paid, and cancelled if the order ends unpaid", () => {
    const shown = (state: OrderState) => statusOf({ ...order, state, payments: [captured] })[1];
    expect(ORDER_STATES.filter((state) => shown(state) === "pending")).toEqual([
      "awaiting_payment",
      "paying",
      "first_captured",
    ]);
    expect(ORDER_STATES.filter((state) => shown(state) === "cancelled")).toEqual([
      "payment_failed",
      "cancelled",
      "expired",
      "credit_refused",
    ]);
  });

  it.each<readonly [status: string, what: string, Partial<OrderRecord>]>([
    ["scheduled", "waits for its charge", { payments: [captured] }],
    ["scheduled", "was declined and will be retried", { payments: [captured, { ...collected, status: "declined" }] }],
    ["failed", "was given up", { payments: [captured], deferredFailedAt: CHANGED }],
    ["cancelled", "was refunded before its charge", { payments: [captured], deferredCancelled: order.deferred }],
    ["scheduled", "was reduced by a refund", { payments: [captured], deferredCancelled: clp(69_999) }],
    ["collected", "was charged", { payments: [captured, collected] }],
    ["collected", "was refunded in part", { payments: [captured, { ...collected, returned: clp(69_999) }] }],
    ["refunded", "was refunded", { payments: [captured, { ...collected, returned: collected.amount }] }],
    ["collected", "was paid by another method", { payments: [captured], paidOtherwise: otherwise }],
    [
      "refunded",
      "was paid by another method and refunded",
      { payments: [captured], paidOtherwise: { ...otherwise, returnAccepted: otherwise.amount } },
    ],
  ])("is %s if it %s", (status, _, given) => {
    expect(statusOf({ ...paid, ...given })[1]).toBe(status);
  });

  it("dates from the payment, or from today while unpaid, or from the cancellation", () => {
    const latest = (shown: OrderRecord) => asPartner(shown).plan.data.installments[1].latest_due_date;
    expect(latest(paid)).toBe("2026-12-18");
    expect([latest(order), latest({ ...order, state: "paying" })]).toEqual(["2026-12-20", "2026-12-20"]);
    expect(latest({ ...order, state: "cancelled" })).toBe("2026-12-19");
  });
});

it("the plan has two instalments, and its commission is charged with the later one", () => {
  const { installments, commission } = asPartner(order).plan.data;
  expect(installments).toMatchObject([
    { number: 1, percentage: 30, amount: 30_000, due: "now" },
    { number: 2, percentage: 70, amount: 70_000, due: "deferred" },
  ]);
  expect(commission).toMatchObject({ percentage: 7, amount: 7_000, vat_included: false });
});

describe("an order as its patient sees it", () => {
  it("was paid at its payment, or when its first instalment was captured", () => {
    expect(asPatient({ ...order, payments: [declined] }).paid_at).toBeNull();
    const first = { ...order, state: "first_captured", payments: [declined, captured] } as const;
    expect(asPatient(first).paid_at).toBe(CHARGED.toISOString());
    expect(asPatient({ ...first, state: "paid", paidAt: PAID }).paid_at).toBe(PAID.toISOString());
  });

  it("shows its card once there is one", () => {
    expect(asPatient(order).payment_method).toBeNull();
    const shown = { id: "c", last4: "6623", exp_month: 12, exp_year: 2029, holder_name: "CAMILA ROJAS" };
    expect(asPatient({ ...order, card }).payment_method).toMatchObject(shown);
    const { expMonth: _month, expYear: _year, holderName: _holder, ...unreported } = card;
    expect(asPatient({ ...order, card: unreported }).payment_method).toEqual({
      id: "c",
      brand: card.brand,
      last4: "6623",
      kind: card.kind,
    });
  });

  it("shows paid, transferred and bank-returned amounts only when there are any", () => {
    const shownAmounts = (shown: Partial<OrderRecord>) => {
      const { paid_otherwise, transferred_amount, bank_returned_amount } = asPatient({ ...paid, ...shown });
      return { paid_otherwise, transferred_amount, bank_returned_amount };
    };
    expect(asPatient(paid)).not.toHaveProperty("paid_otherwise");
    expect(asPatient(paid)).not.toHaveProperty("transferred_amount");
    expect(asPatient(paid)).not.toHaveProperty("bank_returned_amount");
    expect(shownAmounts({ paidOtherwise: otherwise })).toEqual({ paid_otherwise: 77_000 });
    const transfer = { kind: "bank_transfer", paymentId: null } as const;
    expect(shownAmounts({ refunds: [refundThat(transfer)] })).toEqual({ transferred_amount: 10_700 });
    const onePeso = { amount: clp(1), commission: ZERO };
    expect(shownAmounts({ refunds: [refundThat(transfer, onePeso)] })).toEqual({ transferred_amount: 1 });
    const recovery = { kind: "loss_recovery", paymentId: "first" } as const;
    expect(shownAmounts({ refunds: [refundThat(recovery)] })).toEqual({ bank_returned_amount: 10_700 });
    expect(shownAmounts({ refunds: [refundThat(recovery, onePeso)] })).toEqual({ bank_returned_amount: 1 });
  });
});

describe("an order as its partner sees it", () => {
  it("shows the lines of the bill if there are any", () => {
    expect(asPartner(order)).not.toHaveProperty("items");
    const items = [{ description: "Consulta", quantity: 1, amount: clp(100_000) }];
    expect(asPartner({ ...order, details: { items } }).items).toEqual(items);
  });

  it("shows a payment by another method next to the card charges", () => {
    const { payments } = asPartner({ ...paid, payments: [captured], paidOtherwise: otherwise });
    expect(payments).toMatchObject([
      { id: "first", kind: "first", amount: 30_000, card: { last4: "6623" } },
      { id: "w", kind: "deferred", status: "captured", amount: 77_000, card: null },
    ]);
    expect(asPartner({ ...paid, payments: [captured] }).payments).toHaveLength(1);
  });

  it("shows the limit that a charge exceeded and the reason of a refused refund, when known", () => {
    const [plain] = asPartner({ ...order, payments: [declined] }).payments;
    expect(plain).not.toHaveProperty("decline_limit");
    const [beyond] = asPartner({ ...order, payments: [{ ...declined, declineLimit: "amount" }] }).payments;
    expect(beyond).toMatchObject({ decline_limit: "amount" });
    const toCard = { kind: "card_return", paymentId: "first" } as const;
    const refusedOf = (given: Partial<KeptMovement>) =>
      asPartner({ ...paid, payments: [captured], refunds: [refundThat(toCard, given)] }).refunds[0];
    expect(refusedOf({ status: "refused" })).not.toHaveProperty("refused_because");
    expect(refusedOf({ status: "refused", refusal: "too_old" })).toMatchObject({ refused_because: "too_old" });
  });
});
