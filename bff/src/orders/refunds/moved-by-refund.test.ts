import fc from "fast-check";
import { expect, it } from "vitest";
import { addClp, type Clp, clp, ORDER_TOTAL_CLP_MAX, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { commissionOn, splitTotal } from "../orders/instalment-plan.ts";
import { deferredDue } from "../orders/later-charge.ts";
import type { KeptMovement, OrderCard, PaidOtherwise, PaymentRecord } from "../orders/order-record.ts";
import { movedBy } from "./moved-by-refund.ts";
import { allocateRefund } from "./refund-allocation.ts";

const card: OrderCard = {
  id: "c",
  brand: "visa",
  last4: "6623",
  expMonth: 12,
  expYear: 2029,
  holderName: "X",
  kind: "credit",
};

function charge(kind: PaymentRecord["kind"], amount: Clp, commission: Clp): PaymentRecord {
  const taken = { disputed: ZERO, lost: ZERO, recoveryAccepted: ZERO };
  const claimed = { returnAccepted: ZERO, commissionReturnAccepted: ZERO, returned: ZERO };
  const facts = { status: "captured" as const, card, chargeId: kind, declineReason: null, createdAt: new Date(0) };
  return { id: kind, kind, amount, commission, ...claimed, ...taken, ...facts };
}

interface Life {
  readonly state: "paid";
  readonly total: Clp;
  readonly deferred: Clp;
  readonly commissionBasisPoints: number;
  readonly payments: readonly PaymentRecord[];
  readonly paidOtherwise: PaidOtherwise | null;
  readonly deferredWrittenOffAt: null;
  readonly deferredCancelled: Clp;
  readonly deferredCollected: Clp;
  readonly refundAccepted: Clp;
}

function paid(total: Clp, commissionBasisPoints: number): Life {
  const { first, deferred } = splitTotal(total);
  const nothing = { deferredCancelled: ZERO, deferredCollected: ZERO, refundAccepted: ZERO };
  const payments: readonly PaymentRecord[] = [charge("first", first, ZERO)];
  return {
    state: "paid",
    total,
    deferred,
    commissionBasisPoints,
    payments,
    paidOtherwise: null,
    deferredWrittenOffAt: null,
    ...nothing,
  };
}

function collect(order: Life): Life {
  const { price, commission } = deferredDue(order);
  if (price === 0) return order;
  const payments = [...order.payments, charge("deferred", addClp(price, commission), commission)];
  return { ...order, payments, deferredCollected: price };
}

function payOtherwise(order: Life): Life {
  const { price, commission } = deferredDue(order);
  if (price === 0) return order;
  const claimed = { returnAccepted: ZERO, commissionReturnAccepted: ZERO, createdAt: new Date(0) };
  const paidOtherwise = { id: "otherwise", amount: addClp(price, commission), commission, ...claimed };
  return { ...order, paidOtherwise, deferredCollected: price };
}

function refund(order: Life, amount: Clp) {
  const acceptedAfter = addClp(order.refundAccepted, amount);
  const plan = allocateRefund(order, { amount, acceptedAfter, isPromised: false });
  if (plan.outcome !== "allocated") throw new Error("A credit card's refund is always allocated.");
  const movements = plan.movements.map((movement, id): KeptMovement => ({ ...movement, id: `${id}`, status: "done" }));
  const cut = movements.filter(({ kind }) => kind === "loan_reduction").map((movement) => movement.amount);
  const claimed = <Paid extends PaymentRecord | PaidOtherwise>(payment: Paid, of: string | null): Paid => {
    const back = movements.find(({ kind, paymentId }) => kind !== "loan_reduction" && paymentId === of);
    if (back === undefined) return payment;
    const returnAccepted = addClp(payment.returnAccepted, back.amount, back.commission);
    const commissionReturnAccepted = addClp(payment.commissionReturnAccepted, back.commission);
    return { ...payment, returnAccepted, commissionReturnAccepted };
  };
  const payments = order.payments.map((payment) => claimed(payment, payment.id));
  const paidOtherwise = order.paidOtherwise && claimed(order.paidOtherwise, null);
  const deferredCancelled = addClp(order.deferredCancelled, ...cut);
  return { movements, after: { ...order, payments, paidOtherwise, deferredCancelled, refundAccepted: acceptedAfter } };
}

it("what is told of the refunds of 10,000 lives is all that was taken off, and all that went back", () => {
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
      const told = movedBy(order, { movements });
      const now = deferredDue(after);
      expect(told.price).toBe(amount);
      expect(told.offLaterCharge).toEqual({
        amount: subtractClp(addClp(before.price, before.commission), addClp(now.price, now.commission)),
        commission: subtractClp(before.commission, now.commission),
      });
      toCards = addClp(toCards, ...told.toCards.map((one) => one.amount));
      byTransfer = addClp(byTransfer, told.byTransfer.amount);
      order = after;
    }
    expect(toCards).toBe(addClp(...order.payments.map(({ returnAccepted }) => returnAccepted)));
    expect(byTransfer).toBe(order.paidOtherwise?.returnAccepted ?? ZERO);
    const deferred = order.payments[1] ?? order.paidOtherwise;
    if (deferred === null) return;
    const kept = subtractClp(deferred.commission, deferred.commissionReturnAccepted);
    expect(kept).toBe(commissionOn(total, order.refundAccepted, rate));
  });
  fc.assert(life, { numRuns: 10_000 });
});
