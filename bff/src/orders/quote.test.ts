import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteSchema } from "../contract/quote.ts";
import { quoteExample } from "../contract/quote-example.ts";
import { addClp, clp, ORDER_TOTAL_CLP_MAX } from "../contract/vocabulary/clp.ts";
import { annualCostPercentage, quoteFor } from "./quote.ts";
import { shownQuote } from "./shown-quote.ts";

const commissionTax = { regime: "taxed_service" } as const;
const annualCost = { convention: "linear", dayBase: 365 } as const;
const now = new Date("2026-11-21T12:00:00Z");

describe("the quote", () => {
  it("contains every amount and date in the form of the contract", () => {
    const quote = quoteFor({
      total: clp(40_000),
      commissionBasisPoints: 700,
      commissionTax: { regime: "interest" },
      financingProvider: "Financiera de Prueba",
      annualCost,
      now,
    });
    expect(quote).toEqual({
      total: 40_000,
      today: 12_000,
      later: 28_000,
      commission: 2_800,
      commission_percentage: 7,
      commission_regime: "interest",
      later_charge: 30_800,
      total_cost: 42_800,
      annual_cost_percentage: 81.11,
      latest_due_date: "2027-01-05",
      financing_provider: "Financiera de Prueba",
      triggers: { approval: true, access_blocked_days: 3, latest_day: 45 },
    });
  });

  it("equals the quote in examples and pictures", () => {
    const { total, commission_percentage, commission_regime: regime, financing_provider } = quoteExample;
    const commissionBasisPoints = commission_percentage * 100;
    const commissionTax = { regime };
    const offer = {
      total: clp(total),
      commissionBasisPoints,
      commissionTax,
      financingProvider: financing_provider,
      annualCost,
      now,
    };
    expect(quoteFor(offer)).toEqual(quoteExample);
  });

  it("adds up for every total and rate", () => {
    const totals = fc.integer({ min: 0, max: ORDER_TOTAL_CLP_MAX }).map(clp);
    fc.assert(
      fc.property(totals, fc.integer({ min: 0, max: 10_000 }), (total, commissionBasisPoints) => {
        const quote = quoteFor({
          total,
          commissionBasisPoints,
          commissionTax,
          financingProvider: "x",
          annualCost,
          now,
        });
        expect(addClp(quote.today, quote.later)).toBe(quote.total);
        expect(addClp(quote.today, quote.later_charge)).toBe(quote.total_cost);
        expect(
          quoteSchema.safeParse(
            shownQuote({ total, commissionBasisPoints, commissionTax, financingProvider: "x", annualCost, now }, [
              { kind: "contract", version: "2026-12" },
            ]),
          ).success,
        ).toBe(true);
      }),
    );
  });
});

describe("the annual cost", () => {
  // Worked by hand: 2.800 / 28.000 is 10 % of the period; × 365 / 45 = 81,11 %. 3.217 / 32.166 is 10,00124 %: × 365 /
  // 45 = 81,12 %.
  it.each([
    ["linear", 365, 28_000, 30_800, 45, 81.11],
    ["linear", 360, 28_000, 30_800, 45, 80],
    ["compound", 365, 28_000, 30_800, 45, 116.64],
    ["compound", 360, 28_000, 30_800, 45, 114.36],
    ["linear", 365, 32_166, 35_383, 45, 81.12],
    ["linear", 365, 32_166, 33_034, 45, 21.89],
    ["linear", 365, 1_000, 1_100, 365, 10],
    ["compound", 365, 1_000, 1_100, 365, 10],
    ["linear", 360, 1_000, 1_020, 30, 24],
    ["linear", 365, 28_000, 28_000, 45, 0],
    ["linear", 365, 0, 0, 45, 0],
  ] as const)("%s over %i days: a loan of %i that costs %i after %i days is %f %% a year", (...example) => {
    const [convention, dayBase, lent, charged, days, percentage] = example;
    const loan = { lent: clp(lent), charged: clp(charged), days };
    expect(annualCostPercentage(loan, { convention, dayBase })).toBe(percentage);
  });

  it("is part of the quote's hash, as are all figures and the versions of the texts", () => {
    const offer = {
      total: clp(40_000),
      commissionBasisPoints: 700,
      commissionTax,
      financingProvider: "x",
      annualCost,
      now,
    };
    const texts = [{ kind: "contract", version: "1" }] as const;
    const { sha256 } = shownQuote(offer, texts);
    expect(shownQuote(offer, texts).sha256).toBe(sha256);
    expect(shownQuote(offer, [{ kind: "contract", version: "2" }]).sha256).not.toBe(sha256);
    const others = [
      { ...offer, annualCost: { ...annualCost, dayBase: 360 as const } },
      { ...offer, total: clp(40_001) },
      { ...offer, financingProvider: "y" },
      { ...offer, now: new Date(now.getTime() + 24 * 60 * 60_000) },
    ];
    expect(new Set([sha256, ...others.map((other) => shownQuote(other, texts).sha256)]).size).toBe(5);
  });
});
