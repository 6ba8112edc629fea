import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import { addCalendarDays, monthsBegun } from "../platform/santiago-time.ts";
import { type StampTaxTerms, stampTaxIn } from "./stamp-tax.ts";

const included: StampTaxTerms = { borneBy: "commission", monthlyPartsPerMillion: 660 };
const loan = {
  regime: "interest",
  commission: clp(3_217),
  lent: clp(32_166),
  from: "2026-11-21",
  to: "2027-01-05",
} as const;

describe("the stamp tax in a commission", () => {
  it("is 0.066 % of the loan for each month begun: 2 months in 45 days", () => {
    expect(stampTaxIn(included, loan)).toEqual({ amount: 42, partsPerMillion: 1_320 });
    expect(stampTaxIn(included, { ...loan, to: "2026-12-21" })).toEqual({ amount: 21, partsPerMillion: 660 });
    expect(stampTaxIn(included, { ...loan, to: "2026-12-22" })).toEqual({ amount: 42, partsPerMillion: 1_320 });
  });

  it.each([
    ["the lender bears it", { borneBy: "lender" }, loan],
    ["the loans are exempt", { borneBy: "none", exemption: "DL 3.475, art. 24" }, loan],
    ["the commission is a taxed service", included, { ...loan, regime: "taxed_service" as const }],
    ["the commission is smaller", included, { ...loan, commission: clp(41) }],
    ["it rounds to nothing", included, { ...loan, lent: clp(378) }],
  ] as const)("is none if %s", (_case, terms, given) => {
    expect(stampTaxIn(terms, given)).toBeNull();
  });

  it("is of two months for any loan of 45 days, and at most half a peso from its exact amount", () => {
    const days = fc.integer({ min: 0, max: 3_000 }).map((after) => addCalendarDays("2026-01-01", after));
    fc.assert(
      fc.property(days, fc.integer({ min: 379, max: 699_999_999 }), (from, lent) => {
        const to = addCalendarDays(from, 45);
        expect(monthsBegun(from, to)).toBe(2);
        const tax = stampTaxIn(included, { ...loan, from, to, lent: clp(lent), commission: lent as Clp });
        expect(Math.abs((tax?.amount ?? 0) - (lent * 132) / 100_000)).toBeLessThanOrEqual(0.5);
      }),
    );
  });
});
