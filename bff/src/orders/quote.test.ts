import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteSchema } from "../contract/quote.ts";
import { quoteExample } from "../contract/quote-example.ts";
import { addClp, clp, ORDER_TOTAL_CLP_MAX } from "../contract/vocabulary/clp.ts";
import { annualCostPercentage, commissionOn, latestDueDate, quoteFor, shownQuote, splitTotal } from "./quote.ts";

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
