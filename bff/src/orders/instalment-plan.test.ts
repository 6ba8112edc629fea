import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addClp, clp, ORDER_TOTAL_CLP_MAX } from "../contract/vocabulary/clp.ts";
import { commissionOn, latestDueDate, splitTotal } from "./instalment-plan.ts";

const totals = fc.integer({ min: 0, max: ORDER_TOTAL_CLP_MAX }).map(clp);

describe("splitTotal", () => {
  it.each([
    [0, 0, 0],
    [1, 0, 1],
    [2, 1, 1],
    [3, 1, 2],
    [10, 3, 7],
    [999, 300, 699],
    [45_952, 13_786, 32_166],
    [89_990, 26_997, 62_993],
    [999_999_999, 300_000_000, 699_999_999],
  ])("splits %d into %d now and %d later", (total, first, deferred) =>
    expect(splitTotal(clp(total))).toEqual({ first, deferred }),
  );

  it("always adds up to the total", () => {
    fc.assert(
      fc.property(totals, (total) => {
        const { first, deferred } = splitTotal(total);
        expect(addClp(first, deferred)).toBe(total);
        expect(first).toBe(Math.floor((30 * total + 50) / 100));
        expect(Math.min(first, deferred)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("commissionOn", () => {
  it("is a rounded share of the total less refunds", () => {
    expect(commissionOn(clp(40_000), clp(0), 700)).toBe(2_800);
    expect(commissionOn(clp(40_000), clp(10_000), 700)).toBe(2_100);
    expect(commissionOn(clp(45_952), clp(0), 700)).toBe(3_217);
  });

  it("never grows with a refund and reaches zero after a full one", () => {
    fc.assert(
      fc.property(totals, fc.nat(), fc.integer({ min: 0, max: 10_000 }), (total, seed, rate) => {
        const refunded = clp(total === 0 ? 0 : seed % (total + 1));
        expect(commissionOn(total, refunded, rate)).toBeLessThanOrEqual(commissionOn(total, clp(0), rate));
        expect(commissionOn(total, total, rate)).toBe(0);
      }),
    );
  });
});

describe("latestDueDate", () => {
  it.each([
    ["2026-04-05T02:30:00Z", "2026-05-19"],
    ["2026-04-05T03:30:00Z", "2026-05-19"],
    ["2026-09-06T03:59:59Z", "2026-10-20"],
    ["2028-02-29T15:00:00Z", "2028-04-14"],
  ])("for a payment at %s is %s, 45 calendar days later in Santiago", (paidAt, day) =>
    expect(latestDueDate(new Date(paidAt))).toBe(day),
  );
});
