import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addClp, clp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { Movement, OrderCard, OrderRecord, PaymentRecord } from "../order-record.ts";
import { commissionOn, splitTotal } from "../quote.ts";
import { allocateLoss, allocateRefund } from "./refund-allocation.ts";

type Refundable = Parameters<typeof allocateRefund>[0];

/** Allocates a refund that may still be refused. */
function allocate(order: Refundable, amount: number, acceptedAfter = amount) {
  return allocateRefund(order, { amount: clp(amount), acceptedAfter: clp(acceptedAfter), isPromised: false });
}

function card(kind: OrderCard["kind"]): OrderCard {
  return { id: "c", brand: "visa", last4: "6623", expMonth: 12, expYear: 2029, holderName: "X", kind };
}

function charge(kind: PaymentRecord["kind"], amount: number, commission: number, card_: OrderCard): PaymentRecord {
  return {
    id: kind,
    kind,
    status: "captured",
    amount: clp(amount),
    commission: clp(commission),
    returnAccepted: ZERO,
    commissionReturnAccepted: ZERO,
    returned: ZERO,
    disputed: ZERO,
    lost: ZERO,
    recoveryAccepted: ZERO,
    card: card_,
    chargeId: kind,
    voucher: {},
    declineReason: null,
    declineLimit: null,
    createdAt: new Date(0),
  };
}

/** A paid order; `collected` says whether its deferred part has been charged. */
function paid(total: number, { collected = false, kind = "credit" as OrderCard["kind"], rate = 700 } = {}): Refundable {
  const { first, deferred } = splitTotal(clp(total));
  const commission = commissionOn(clp(total), ZERO, rate);
  const payments = [charge("first", first, 0, card(kind))];
  if (collected) payments.push(charge("deferred", addClp(deferred, commission), commission, card(kind)));
  return {
    total: clp(total),
    deferred,
    deferredCancelled: ZERO,
    deferredCollected: collected ? deferred : ZERO,
    commissionBasisPoints: rate,
    payments,
    paidOtherwise: null,
  };
}

/** A collected order of 40,000 whose deferred charge the patient's bank has taken back for good. */
function deferredLost(rate: number): Refundable {
  const order = paid(40_000, { collected: true, rate });
  const taken = (one: PaymentRecord) => ({ ...one, disputed: one.amount, lost: one.amount });
  return { ...order, payments: order.payments.map((one) => (one.kind === "deferred" ? taken(one) : one)) };
}

/** The order as the tables hold it after these movements. */
function after(order: Refundable, movements: readonly Movement[]): Refundable {
  const reduced = movements.filter(({ kind }) => kind === "loan_reduction").map(({ amount }) => amount);
  const payments = order.payments.map((payment) => {
    const movement = movements.find(({ paymentId }) => paymentId === payment.id);
    if (movement === undefined) return payment;
    return {
      ...payment,
      returnAccepted: addClp(payment.returnAccepted, movement.amount, movement.commission),
      commissionReturnAccepted: addClp(payment.commissionReturnAccepted, movement.commission),
    };
  });
  return { ...order, payments, deferredCancelled: addClp(order.deferredCancelled, ...reduced) };
}

describe("refund allocation", () => {
  it.each([
    [10_000, ["loan_reduction 10000+700"]],
    [28_000, ["loan_reduction 28000+2800"]],
    [30_000, ["card_return 2000+0", "loan_reduction 28000+2800"]],
    [40_000, ["card_return 12000+0", "loan_reduction 28000+2800"]],
  ])("before the collection, takes a refund of %d from the deferred part first", (amount, expected) => {
    const plan = allocate(paid(40_000), amount);
    expect(plan.outcome === "allocated" && plan.movements.map(describeMovement)).toEqual(expected);
  });

  it.each([
    [10_000, ["card_return 10000+700"]],
    [28_000, ["card_return 28000+1960"]],
    [30_000, ["card_return 28000+2100", "card_return 2000+0"]],
    [40_000, ["card_return 28000+2800", "card_return 12000+0"]],
  ])(
    "after the collection, takes a refund of %d from the latest charge first, with its commission",
    (amount, expected) => {
      const plan = allocate(paid(40_000, { collected: true }), amount);
      expect(plan.outcome === "allocated" && plan.movements.map(describeMovement)).toEqual(expected);
    },
  );

  it("refuses a refund that needs disputed charges, and throws if there is no dispute", () => {
    const order = paid(40_000);
    const [first] = order.payments;
    if (first === undefined) throw new Error("A paid order has a charge.");
    const disputed = { ...order, payments: [{ ...first, disputed: first.amount }] };
    expect(allocate(disputed, 40_000)).toEqual({ outcome: "charge_disputed" });
    const byOnePeso = { ...order, payments: [{ ...first, disputed: clp(1) }] };
    expect(allocate(byOnePeso, 40_000)).toEqual({ outcome: "charge_disputed" });
    expect(() => allocate({ ...order, payments: [] }, 40_000)).toThrow(/do not cover/);
    const short = { ...order, payments: [{ ...first, amount: clp(first.amount - 1) }] };
    expect(() => allocate(short, 40_000)).toThrow(/do not cover/);
  });

  it.each([
    [0, 10_000, ["loss_recovery 10000+0"]],
    [700, 10_000, ["loss_recovery 10000+700"]],
    // Price and commission are equal here.
    [10_000, 10_000, ["loss_recovery 10000+10000"]],
    [700, 40_000, ["loss_recovery 28000+2800", "card_return 12000+0"]],
  ])("takes lost chargebacks before any card, with a commission of %d and a refund of %d", (rate, amount, expected) => {
    const plan = allocate(deferredLost(rate), amount);
    expect(plan.outcome === "allocated" && plan.movements.map(describeMovement)).toEqual(expected);
  });

  it("refunds exactly the lost amount once, when only the loss is refunded", () => {
    const lost = deferredLost(700);
    const all = allocateLoss(lost, { rest: clp(40_000), accepted: ZERO });
    expect([all.price, ...all.movements.map(describeMovement)]).toEqual([28_000, "loss_recovery 28000+1960"]);
    const claimed = lost.payments.map((one) => ({ ...one, returnAccepted: one.amount, recoveryAccepted: one.lost }));
    const back = claimed.map((one) => ({ ...one, commissionReturnAccepted: one.commission }));
    expect(allocateLoss({ ...lost, payments: back }, { rest: clp(12_000), accepted: clp(28_000) })).toEqual({
      price: 0,
      movements: [],
    });
  });

  it("deducts the commission of a loss from a later charge that is still to come", () => {
    const order = paid(40_000);
    const taken = order.payments.map((one) => ({ ...one, disputed: one.amount, lost: one.amount }));
    const { price, movements } = allocateLoss({ ...order, payments: taken }, { rest: clp(40_000), accepted: ZERO });
    expect([price, ...movements.map(describeMovement)]).toEqual([
      12_000,
      "loss_recovery 12000+0",
      "loan_reduction 0+840",
    ]);
  });

  it("transfers a refund of an amount paid without a card, until all of it is returned", () => {
    const order = paid(40_000, { rate: 0 });
    const { deferred } = order;
    const id = { id: "otherwise", createdAt: new Date(0) };
    const sums = { amount: deferred, commission: ZERO, returnAccepted: ZERO, commissionReturnAccepted: ZERO };
    const before = { ...order, deferredCollected: deferred, paidOtherwise: { ...id, ...sums } };
    const plan = allocate(before, deferred);
    expect(plan.outcome === "allocated" && plan.movements.map(describeMovement)).toEqual(["bank_transfer 28000+0"]);
    const done = { ...before, paidOtherwise: { ...id, ...sums, returnAccepted: deferred } };
    const rest = allocate(done, 12_000, 40_000);
    expect(rest.outcome === "allocated" && rest.movements.map(describeMovement)).toEqual(["card_return 12000+0"]);
  });

  it("waits while a charge is unresolved", () => {
    const order = paid(40_000);
    const processing = { ...charge("deferred", 30_800, 2_800, card("credit")), status: "processing" as const };
    expect(allocate({ ...order, payments: [...order.payments, processing] }, 1)).toEqual({
      outcome: "wait",
    });
  });

  it.each(["debit", "prepaid"] as const)("returns a %s charge in full or not at all", (kind) => {
    const before = paid(40_000, { kind });
    expect(allocate(before, 28_000).outcome).toBe("allocated");
    expect(allocate(before, 28_001).outcome).toBe("partial_refund_not_supported");
    const collected = paid(40_000, { kind, collected: true });
    expect(allocate(collected, 28_000).outcome).toBe("partial_refund_not_supported");
    expect(allocate(collected, 40_000).outcome).toBe("allocated");
  });

  it("sums to the refund, never exceeds the rest, and returns every peso, in any sequence of refunds", () => {
    const totals = fc.integer({ min: 2, max: 999_999_999 });
    const shares = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        totals,
        shares,
        fc.boolean(),
        fc.integer({ min: 0, max: 10_000 }),
        (total, wanted, collected, rate) => {
          let order = paid(total, { collected, rate });
          let accepted = ZERO;
          for (const share of [...wanted, 1]) {
            const rest = subtractClp(clp(total), accepted);
            const amount = clp(Math.max(1, Math.floor(rest * share)));
            if (amount > rest) continue;
            accepted = addClp(accepted, amount);
            const plan = allocate(order, amount, accepted);
            if (plan.outcome !== "allocated") throw new Error("A credit card's refund is always allocated.");
            expect(addClp(...plan.movements.map((movement) => movement.amount))).toBe(amount);
            order = after(order, plan.movements);
            expectWithin(order);
          }
          for (const { amount, returnAccepted } of order.payments) expect(returnAccepted).toBe(amount);
        },
      ),
    );
  });
});

function expectWithin(
  order: Pick<OrderRecord, "deferred" | "deferredCancelled" | "deferredCollected" | "payments">,
): void {
  expect(order.deferredCancelled + order.deferredCollected).toBeLessThanOrEqual(order.deferred);
  for (const { amount, commission, returnAccepted, commissionReturnAccepted } of order.payments) {
    expect(returnAccepted).toBeLessThanOrEqual(amount);
    expect(commissionReturnAccepted).toBeLessThanOrEqual(Math.min(commission, returnAccepted));
  }
}

function describeMovement({ kind, amount, commission }: Movement): string {
  return `${kind} ${amount}+${commission}`;
}
