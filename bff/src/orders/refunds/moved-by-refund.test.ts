import fc from "fast-check";
import { expect, it } from "vitest";
import { addClp, type Clp, clp, ORDER_TOTAL_CLP_MAX, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { commissionOn, splitTotal } from "../orders/instalment-plan.ts";
import { deferredDue } from "../orders/later-charge.ts";
import type { KeptMovement, OrderCard, PaymentRecord } from "../orders/order-record.ts";
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

function paid(total: Clp, commissionBasisPoints: number) {
  const { first, deferred } = splitTotal(total);
  const nothing = { deferredCancelled: ZERO, deferredCollected: ZERO, refundAccepted: ZERO };
  const payments: readonly PaymentRecord[] = [charge("first", first, ZERO)];
  return { state: "paid" as const, total, deferred, commissionBasisPoints, payments, ...nothing };
}
type Life = ReturnType<typeof paid>;

function collect(order: Life): Life {
  const { price, commission } = deferredDue(order);
  if (price === 0) return order;
  const payments = [...order.payments, charge("deferred", addClp(price, commission), commission)];
  return { ...order, payments, deferredCollected: price };
}

function refund(order: Life, amount: Clp) {
  const acceptedAfter = addClp(order.refundAccepted, amount);
  const plan = allocateRefund(order, { amount, acceptedAfter, isPromised: false });
  if (plan.outcome !== "allocated") throw new Error("A credit card's refund is always allocated.");
  const movements = plan.movements.map((movement, id): KeptMovement => ({ ...movement, id: `${id}`, status: "done" }));
  const cut = movements.filter(({ kind }) => kind === "loan_reduction").map((movement) => movement.amount);
  const payments = order.payments.map((payment) => {
    const back = movements.find(({ paymentId }) => paymentId === payment.id);
    if (back === undefined) return payment;
    const returnAccepted = addClp(payment.returnAccepted, back.amount, back.commission);
    const commissionReturnAccepted = addClp(payment.commissionReturnAccepted, back.commission);
    return { ...payment, returnAccepted, commissionReturnAccepted };
  });
  const deferredCancelled = addClp(order.deferredCancelled, ...cut);
  return { movements, after: { ...order, payments, deferredCancelled, refundAccepted: acceptedAfter } };
}

it("what is told of the refunds of 10,000 lives is all that was taken off, and all that went back", () => {
  const totals = fc.integer({ min: 2, max: ORDER_TOTAL_CLP_MAX }).map(clp);
  const steps = fc.array(fc.oneof(fc.constant("collect" as const), fc.double({ min: 0.001, max: 1, noNaN: true })), {
    maxLength: 6,
  });
  const life = fc.property(totals, steps, fc.integer({ min: 0, max: 10_000 }), (total, happenings, rate) => {
    let order = paid(total, rate);
    let toCards = ZERO;
    for (const happening of happenings) {
      if (happening === "collect") {
        if (order.payments.length === 1) order = collect(order);
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
      order = after;
    }
    expect(toCards).toBe(addClp(...order.payments.map(({ returnAccepted }) => returnAccepted)));
    const [, deferred] = order.payments;
    if (deferred === undefined) return;
    const kept = subtractClp(deferred.commission, deferred.commissionReturnAccepted);
    expect(kept).toBe(commissionOn(total, order.refundAccepted, rate));
  });
  fc.assert(life, { numRuns: 10_000 });
});
