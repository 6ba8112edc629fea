import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { addClp, type Clp, clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import { vatIn } from "../contract/vocabulary/commission-tax.ts";
import { type OrderId, readOrderId } from "../contract/vocabulary/identifiers.ts";
import { payoutTransfers } from "../orders/book-entries.ts";
import { seededIds } from "../platform/ids.ts";
import { spreadFrom } from "../platform/spread.ts";
import {
  isPaidOut,
  nextPayoutRun,
  type PayableOrder,
  type PayoutItem,
  payoutDayOf,
  payoutFeeOn,
  payoutReference,
  planPayout,
} from "./payout.ts";

const ids = seededIds("payouts");
const PROVIDER = ids.uuid();
function newOrder(): OrderId {
  const hash = readOrderId(ids.uuid());
  if (hash === null) throw new Error("A UUID is an order hash.");
  return hash;
}

function payable(owed: number, overrides: Partial<PayableOrder> = {}): PayableOrder {
  const agreed = { feeBasisPoints: 350, feeRegime: "taxed_service" } as const;
  const paid = { paidNet: ZERO, paidFee: ZERO };
  return { orderId: newOrder(), owed: clp(owed), ...agreed, ...paid, ...overrides };
}

/** A payout of an order of 40,000 pesos. */
const PAID_OUT = { paidNet: clp(38_600), paidFee: clp(1_400) };

describe("a payout", () => {
  it("is the total less the agreed fee", () => {
    const [order] = [payable(40_000)];
    expect(planPayout([order])).toEqual({
      amount: 38_600,
      items: [{ orderId: order.orderId, net: 38_600, fee: 1_400, feeVat: 224 }],
    });
  });

  it("deducts refunds made after an order was paid out, fee included", () => {
    const refunded = payable(10_000, PAID_OUT);
    const { amount, items } = planPayout([payable(50_000), refunded]);
    expect(items.map(({ net, fee, feeVat }) => [net, fee, feeVat])).toEqual([
      [48_250, 1_750, 279],
      [-28_950, -1_050, -168],
    ]);
    expect(amount).toBe(19_300);
  });

  it("is not made for zero or a negative amount, which is carried over", () => {
    const { amount } = planPayout([payable(0, PAID_OUT)]);
    expect(amount).toBe(-38_600);
    expect(isPaidOut(amount)).toBe(false);
    expect(planPayout([payable(40_000, PAID_OUT)])).toEqual({
      amount: 0,
      items: [],
    });
  });

  it("contains no VAT if the fee is exempt", () => {
    const { items } = planPayout([payable(40_000, { feeRegime: "exempt" })]);
    expect(items.map(({ fee, feeVat }) => [fee, feeVat])).toEqual([[1_400, 0]]);
  });

  it("a full refund takes back the whole VAT of the fee", () => {
    const { items } = planPayout([payable(0, PAID_OUT)]);
    expect(items.map(({ fee, feeVat }) => [fee, feeVat])).toEqual([[-1_400, -224]]);
  });

  it("runs within the hour after 10:00 in Santiago, also on days of 23 and 25 hours", () => {
    const runs = ["2026-11-21T12:59:59Z", "2026-11-21T13:59:59Z", "2026-04-04T20:00:00Z", "2026-09-05T20:00:00Z"];
    const atTen = spreadFrom(new Date(0), PROVIDER).getTime();
    const hourOf = (after: string) =>
      new Date(nextPayoutRun(new Date(after), PROVIDER).getTime() - atTen).toISOString();
    expect(atTen).toBeGreaterThan(0);
    expect(runs.map(hourOf)).toEqual([
      "2026-11-21T13:00:00.000Z",
      "2026-11-22T13:00:00.000Z",
      "2026-04-05T14:00:00.000Z",
      "2026-09-06T13:00:00.000Z",
    ]);
  });

  it("keeps the day of its run until the next run is due, also when retried past midnight", () => {
    const run = nextPayoutRun(new Date("2026-11-21T04:00:00Z"), PROVIDER);
    const next = nextPayoutRun(run, PROVIDER);
    const tries = [run, new Date("2026-11-22T03:10:00Z"), new Date(next.getTime() - 1), next];
    expect(tries.map((dueAt) => payoutDayOf(dueAt, PROVIDER))).toEqual([
      "2026-11-21",
      "2026-11-21",
      "2026-11-21",
      "2026-11-22",
    ]);
  });

  it("puts its day into the text of the payee's bank statement", () =>
    expect(payoutReference("2026-11-21")).toBe("AAPD 2026-11-21"));
});

test("over any runs and refunds, an item's VAT lies between 0 and its fee, and sums to the VAT of the whole fee", () => {
  const owed = fc.integer({ min: 0, max: 999_999_999 });
  const basisPoints = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(fc.array(owed, { minLength: 1, maxLength: 8 }), basisPoints, (amounts, feeBasisPoints) => {
      let order = payable(0, { feeBasisPoints });
      let vat = ZERO;
      for (const amount of amounts) {
        const { items } = planPayout([{ ...order, owed: clp(amount) }]);
        for (const { fee, feeVat } of items) {
          expect(feeVat).toBeGreaterThanOrEqual(Math.min(fee, 0));
          expect(feeVat).toBeLessThanOrEqual(Math.max(fee, 0));
          vat = addClp(vat, feeVat);
        }
        order = allocated(order, items);
        expect(vat).toBe(vatIn({ regime: "taxed_service" }, order.paidFee));
      }
    }),
  );
});

test("over any runs and refunds, payouts sum to exactly the amount owed less the fee", () => {
  const order = fc.record({
    total: fc.integer({ min: 2, max: 999_999_999 }),
    fee: fc.integer({ min: 0, max: 10_000 }),
  });
  const day = fc.array(fc.record({ order: fc.nat(), refund: fc.integer({ min: 0, max: 10_000 }) }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(order, { minLength: 1, maxLength: 6 }), fc.array(day, { maxLength: 8 }), (made, days) => {
      let orders = made.map(({ total, fee }) => payable(total, { feeBasisPoints: fee }));
      let paidOut = ZERO;
      for (const refunds of days) {
        orders = refunds.reduce(refundOne, orders);
        const { amount, items } = planPayout(orders);
        if (!isPaidOut(amount)) continue;
        paidOut = addClp(paidOut, amount);
        orders = orders.map((one) => allocated(one, items));
        expectBooksBalance(items, amount);
      }
      const { amount: rest } = planPayout(orders);
      const owed = addClp(...orders.map((one) => subtractClp(one.owed, payoutFeeOn(one.owed, one.feeBasisPoints))));
      expect(addClp(paidOut, rest)).toBe(owed);
    }),
  );
});

function refundOne(orders: PayableOrder[], { order, refund }: { order: number; refund: number }): PayableOrder[] {
  return orders.map((one, index) =>
    index === order % orders.length ? { ...one, owed: clp(one.owed - Math.floor((one.owed * refund) / 10_000)) } : one,
  );
}

function allocated(order: PayableOrder, items: readonly PayoutItem[]): PayableOrder {
  const item = items.find(({ orderId }) => orderId === order.orderId);
  if (item === undefined) return order;
  return { ...order, paidNet: addClp(order.paidNet, item.net), paidFee: addClp(order.paidFee, item.fee) };
}

/** Checks that the rows of a payout take the paid amount from the bank, and that each amount is positive. */
function expectBooksBalance(items: readonly PayoutItem[], amount: Clp): void {
  const rows = payoutTransfers({ of: "clinics", providerId: ids.uuid(), payoutId: ids.uuid(), at: new Date(0), items });
  const left = rows.map(({ debit, credit, amount: moved }) =>
    credit === "bank" ? moved : debit === "bank" ? clp(-moved) : ZERO,
  );
  expect(addClp(...left)).toBe(amount);
  for (const row of rows) expect(row.amount).toBeGreaterThan(0);
  expect(new Set(rows.map(({ cause }) => cause)).size).toBe(rows.length);
}
