import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addClp, clp, ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";
import { quoteSchema } from "../../contract/widget-tokens.ts";
import { annualCostPercentage, quoteFor } from "./quote.ts";

const now = new Date("2026-11-21T12:00:00Z");

describe("the quote", () => {
  it("says every amount and date in the words of the contract", () => {
    const quote = quoteFor({
      total: clp(40_000),
      commissionBasisPoints: 700,
      financingProvider: "Financiera de Prueba",
      now,
    });
    expect(quoteSchema.parse(quote)).toEqual({
      total: 40_000,
      today: 12_000,
      later: 28_000,
      commission: 2_800,
      commission_percentage: 7,
      later_charge: 30_800,
      total_cost: 42_800,
      annual_cost_percentage: 116.64,
      latest_due_date: "2027-01-05",
      financing_provider: "Financiera de Prueba",
      triggers: { approval: true, access_blocked_days: 3, latest_day: 45 },
    });
  });

  it("adds up for every total and rate", () => {
    const totals = fc.integer({ min: 0, max: ORDER_TOTAL_CLP_MAX }).map(clp);
    fc.assert(
      fc.property(totals, fc.integer({ min: 0, max: 10_000 }), (total, commissionBasisPoints) => {
        const quote = quoteFor({ total, commissionBasisPoints, financingProvider: "x", now });
        expect(addClp(quote.today, quote.later)).toBe(quote.total);
        expect(addClp(quote.today, quote.later_charge)).toBe(quote.total_cost);
        expect(quoteSchema.safeParse(quote).success).toBe(true);
      }),
    );
  });
});

describe("the annual cost", () => {
  it("is the rate that makes the two cash flows equal", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 1_000_000 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 30, max: 365 }),
        (lent, percent, days) => {
          const charged = Math.round(lent * (1 + percent / 100));
          const rate = annualCostPercentage(clp(lent), clp(charged), days) / 100;
          const worthToday = charged / (1 + rate) ** (days / 365);
          expect(Math.abs(worthToday - lent)).toBeLessThan(lent * 1e-4);
        },
      ),
    );
  });

  it("is the plain rate for a whole year, and nothing where nothing is lent", () => {
    expect(annualCostPercentage(clp(1_000), clp(1_100), 365)).toBe(10);
    expect(annualCostPercentage(clp(0), clp(0), 45)).toBe(0);
  });
});
