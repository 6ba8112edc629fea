import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { receiptAmounts } from "../contract/receipt-amounts.ts";
import { addClp, type Clp, clp, ORDER_TOTAL_CLP_MAX, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { ORDER_STATES } from "./order.ts";
import { commissionOf, deferredDue, movedBy, paidAndKept } from "./order-amounts.ts";
import type { KeptMovement, OrderCard, OrderRecord, PaidOtherwise, PaymentRecord } from "./order-record.ts";
import { patientOrder } from "./order-view.ts";
import { commissionOn, splitTotal } from "./quote.ts";
import { allocateRefund } from "./refunds/refund-allocation.ts";

const card: OrderCard = {
  id: "c",
  brand: "visa",
  last4: "6623",
  expMonth: 12,
  expYear: 2029,
  holderName: "X",
  kind: "credit",
};

const NOW = new Date("2026-11-22T12:00:00Z");

function charge(kind: PaymentRecord["kind"], amount: Clp, commission: Clp): PaymentRecord {
  const taken = { disputed: ZERO, lost: ZERO, recoveryAccepted: ZERO };
  const claimed = { returnAccepted: ZERO, commissionReturnAccepted: ZERO, returned: ZERO };
  const facts = {
    status: "captured" as const,
    card,
    chargeId: kind,
    voucher: {},
    declineReason: null,
    declineLimit: null,
    createdAt: new Date(0),
  };
  return { id: kind, kind, amount, commission, ...claimed, ...taken, ...facts };
}

const CUSTOMER = { firstName: "X", lastName: "X", email: "x@example.cl", phoneNumber: "+56912345678" };

function paid(total: Clp, commissionBasisPoints: number): OrderRecord {
  const { first, deferred } = splitTotal(total);
  const ids = {
    providerId: "p",
    orderId: "o" as OrderId,
    reference: "r",
    loanId: "l",
    eventSequence: 1,
    traceparent: null,
    details: {},
    center: null,
  };
  const at = new Date(0);
  return {
    ...ids,
    state: "paid",
    total,
    first,
    deferred,
    commissionBasisPoints,
    commissionTax: { regime: "interest" },
    customer: { rut: "11111111-1" as Rut, ...CUSTOMER },
    identityValidatedAt: at,
    identityRecognised: false,
    card,
    paidAt: at,
    createdAt: at,
    updatedAt: at,
    payments: [charge("first", first, ZERO)],
    paidOtherwise: null,
    refunds: [],
    taxDocuments: [],
    refundAccepted: ZERO,
    refunded: ZERO,
    deferredCancelled: ZERO,
    deferredCollected: ZERO,
    deferredFailedAt: null,
    deferredWrittenOffAt: null,
  };
}

function collect(order: OrderRecord): OrderRecord {
  const { price, commission } = deferredDue(order);
  if (price === 0) return order;
  const payments = [...order.payments, charge("deferred", addClp(price, commission), commission)];
  return { ...order, payments, deferredCollected: price };
}

function payOtherwise(order: OrderRecord): OrderRecord {
  const { price, commission } = deferredDue(order);
  if (price === 0) return order;
  const claimed = { returnAccepted: ZERO, commissionReturnAccepted: ZERO, createdAt: new Date(0) };
  const paidOtherwise = { id: "otherwise", amount: addClp(price, commission), commission, ...claimed };
  return { ...order, paidOtherwise, deferredCollected: price };
}

function refund(order: OrderRecord, amount: Clp) {
  const acceptedAfter = addClp(order.refundAccepted, amount);
  const plan = allocateRefund(order, { amount, acceptedAfter, isPromised: false });
  if (plan.outcome !== "allocated") throw new Error("A credit card's refund is always allocated.");
  const movements = plan.movements.map(
    (movement, id): KeptMovement => ({
      ...movement,
      id: `${id}`,
      status: "done",
      isTaken: false,
      refusal: null,
      isTransferred: false,
    }),
  );
  const cut = movements.filter(({ kind }) => kind === "loan_reduction").map((movement) => movement.amount);
  const claimed = <Paid extends PaymentRecord | PaidOtherwise>(payment: Paid, of: string | null): Paid => {
    const back = movements.find(({ kind, paymentId }) => kind !== "loan_reduction" && paymentId === of);
    if (back === undefined) return payment;
    const returnAccepted = addClp(payment.returnAccepted, back.amount, back.commission);
    const commissionReturnAccepted = addClp(payment.commissionReturnAccepted, back.commission);
    return { ...payment, returnAccepted, returned: returnAccepted, commissionReturnAccepted };
  };
  const payments = order.payments.map((payment) => claimed(payment, payment.id));
  const paidOtherwise = order.paidOtherwise && claimed(order.paidOtherwise, null);
  const deferredCancelled = addClp(order.deferredCancelled, ...cut);
  return { movements, after: { ...order, payments, paidOtherwise, deferredCancelled, refundAccepted: acceptedAfter } };
}

/** Expects the receipt's final amount to equal what the clinic and the commission keep. */
function holdReceipt(order: OrderRecord, { toCards, byTransfer }: { readonly toCards: Clp; readonly byTransfer: Clp }) {
  const receipt = receiptAmounts(patientOrder(order, new Date(0)));
  expect(addClp(receipt.first, receipt.deferred, receipt.commission)).toBe(receipt.total);
  expect(receipt.returned).toBe(toCards);
  const clinic = subtractClp(order.total, order.refundAccepted);
  const commission = addClp(
    deferredDue(order).commission,
    ...[order.payments[1], order.paidOtherwise].map((charged) =>
      charged ? subtractClp(charged.commission, charged.commissionReturnAccepted) : ZERO,
    ),
  );
  expect(subtractClp(receipt.total, addClp(toCards, byTransfer))).toBe(addClp(clinic, commission));
}

it("refund and receipt account for every cancelled, kept and returned peso, in 10,000 random lives", () => {
  const totals = fc.integer({ min: 2, max: ORDER_TOTAL_CLP_MAX }).map(clp);
  const steps = fc.array(
    fc.oneof(fc.constantFrom("collect", "otherwise"), fc.double({ min: 0.001, max: 1, noNaN: true })),
    {
      maxLength: 6,
    },
  );
  const life = fc.property(totals, steps, fc.integer({ min: 0, max: 10_000 }), (total, happenings, rate) => {
    let order = paid(total, rate);
    let [toCards, byTransfer] = [ZERO, ZERO];
    for (const happening of happenings) {
      if (typeof happening === "string") {
        const isPaid = order.payments.length > 1 || order.paidOtherwise !== null;
        if (!isPaid) order = happening === "collect" ? collect(order) : payOtherwise(order);
        continue;
      }
      const rest = subtractClp(total, order.refundAccepted);
      const amount = clp(Math.max(1, Math.floor(rest * happening)));
      if (amount > rest) continue;
      const before = deferredDue(order);
      const { movements, after } = refund(order, amount);
      const moved = movedBy(order, { movements, createdAt: NOW });
      const now = deferredDue(after);
      expect(moved.price).toBe(amount);
      expect(moved.offLaterCharge).toEqual({
        amount: subtractClp(addClp(before.price, before.commission), addClp(now.price, now.commission)),
        commission: subtractClp(before.commission, now.commission),
      });
      toCards = addClp(toCards, ...moved.toCards.map((one) => one.amount));
      byTransfer = addClp(byTransfer, moved.byTransfer.amount);
      order = after;
    }
    expect(toCards).toBe(addClp(...order.payments.map(({ returnAccepted }) => returnAccepted)));
    expect(byTransfer).toBe(order.paidOtherwise?.returnAccepted ?? ZERO);
    holdReceipt(order, { toCards, byTransfer });
    const deferred = order.payments[1] ?? order.paidOtherwise;
    if (deferred === null) return;
    const kept = subtractClp(deferred.commission, deferred.commissionReturnAccepted);
    expect(kept).toBe(commissionOn(total, order.refundAccepted, rate));
  });
  fc.assert(life, { numRuns: 10_000 });
});

it("a refund reduces the second charge before a write-off, and not afterwards", () => {
  const order = paid(clp(40_000), 700);
  const { movements, after } = refund(order, clp(7_000));
  const offAfter = (writtenOff: string, refunded: string) =>
    movedBy({ ...after, deferredWrittenOffAt: new Date(writtenOff) }, { movements, createdAt: new Date(refunded) })
      .offLaterCharge;
  expect(offAfter("2026-12-01", "2026-12-02")).toEqual({ amount: 0, commission: 0 });
  expect(offAfter("2026-12-02", "2026-12-01")).toEqual({ amount: 7_490, commission: 490 });
});

it("a card that received nothing is not listed", () => {
  const order = paid(clp(40_000), 700);
  expect(movedBy(order, { movements: refund(order, clp(10_000)).movements, createdAt: NOW }).toCards).toEqual([]);
});

it("an amount owed by transfer has a reason: the card accepts no partial return, or no card paid it", () => {
  const order = paid(clp(40_000), 700);
  const facts = {
    amount: clp(1_000),
    commission: ZERO,
    status: "done",
    isTaken: false,
    refusal: null,
    isTransferred: false,
  } as const;
  const owed = (...from: (string | null)[]) =>
    movedBy(order, {
      createdAt: NOW,
      movements: from.map((paymentId, id) => ({ ...facts, id: `${id}`, kind: "bank_transfer", paymentId })),
    }).transferredBecause;
  expect(owed()).toEqual([]);
  expect(owed(null, null)).toEqual(["paid_without_card"]);
  expect(owed("first")).toEqual(["card_takes_no_part"]);
  expect(owed("first", null)).toEqual(["card_takes_no_part", "paid_without_card"]);
});

it("the amount paid and kept deducts each return once, whether to a card, by transfer or by the bank", () => {
  const order = collect(paid(clp(40_000), 700));
  expect(paidAndKept(order)).toBe(42_800);
  const [first, deferred] = order.payments as [PaymentRecord, PaymentRecord];
  const disputed = { ...first, returned: clp(2_000), disputed: clp(10_000), lost: clp(10_000) };
  const facts = { status: "done", isTaken: false, refusal: null, isTransferred: false, commission: ZERO } as const;
  const movements: KeptMovement[] = [
    { ...facts, id: "bank", kind: "loss_recovery", paymentId: "first", amount: clp(10_000) },
    { ...facts, id: "card", kind: "card_return", paymentId: "first", amount: clp(2_000) },
    { ...facts, id: "transfer", kind: "bank_transfer", paymentId: "deferred", amount: clp(1_000) },
  ];
  const refunds = [{ movements }] as unknown as OrderRecord["refunds"];
  expect(paidAndKept({ ...order, payments: [disputed, deferred], refunds })).toBe(29_800);
});

/** A total of 100.000, 70.000 of it deferred, at 7 %. */
const order = {
  state: "paid",
  total: clp(100_000),
  commissionBasisPoints: 700,
  deferred: clp(70_000),
  deferredCancelled: ZERO,
  deferredCollected: ZERO,
  refundAccepted: ZERO,
  deferredWrittenOffAt: null,
} as const;

const nothingPaid = { payments: [], paidOtherwise: null } as const;

const charged = (commission: number, returned = 0) => ({
  commission: clp(commission),
  commissionReturnAccepted: clp(returned),
});

describe("deferredDue", () => {
  it("is the uncollected rest plus the commission on the part that was not refunded", () => {
    expect(deferredDue(order)).toEqual({ price: 70_000, commission: 7_000 });
    const refunded = { ...order, refundAccepted: clp(20_000), deferredCancelled: clp(20_000) };
    expect(deferredDue(refunded)).toEqual({ price: 50_000, commission: 5_600 });
  });

  it("is zero for an order that was not paid, and after a write-off", () => {
    const owing = ORDER_STATES.filter((state) => deferredDue({ ...order, state }).price > 0);
    expect(owing).toEqual(["paid", "partially_refunded", "refunded"]);
    expect(deferredDue({ ...order, deferredWrittenOffAt: new Date(0) })).toEqual({ price: 0, commission: 0 });
  });

  it("includes no commission when no price is left", () => {
    expect(deferredDue({ ...order, deferredCollected: clp(70_000) })).toEqual({ price: 0, commission: 0 });
  });
});

describe("commissionOf", () => {
  it("is on the whole total until the order is paid or ends unpaid", () => {
    for (const state of ["awaiting_payment", "paying", "first_captured"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(7_000);
    for (const state of ["payment_failed", "cancelled", "expired", "credit_refused"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(0);
  });

  it("is the commission still to be charged, or charged by any method and not returned", () => {
    expect(commissionOf({ ...order, ...nothingPaid })).toBe(7_000);
    const collected = { ...order, deferredCollected: clp(70_000) };
    const charge = { kind: "deferred", ...charged(7_000, 1_400) } as const;
    for (const status of ["captured", "processing"] as const)
      expect(commissionOf({ ...collected, paidOtherwise: null, payments: [{ ...charge, status }] })).toBe(5_600);
    const ofNoDeferred = [
      { ...charge, status: "failed" },
      { ...charge, kind: "first", status: "captured" },
    ] as const;
    expect(commissionOf({ ...collected, paidOtherwise: null, payments: ofNoDeferred })).toBe(0);
    expect(commissionOf({ ...collected, payments: [], paidOtherwise: charged(7_000, 700) })).toBe(6_300);
  });
});
