import { describe, expect, it } from "vitest";
import { IDENTITY_REJECTIONS_PER_HOUR_MAX } from "../contract/terms.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { IDENTITY_WINDOW_MS, identityTries } from "./identity-tries.ts";
import { amountProblem, expiresTooSoon, paymentProblem } from "./readiness.ts";

const now = new Date("2026-11-21T15:00:00Z");
const card = {
  id: "c",
  brand: "visa",
  last4: "6623",
  expMonth: 1,
  expYear: 2027,
  holderName: "X",
  kind: "credit",
} as const;

describe("missing steps before a payment", () => {
  const amounts = { total: clp(10), first: clp(3), deferred: clp(7), commissionBasisPoints: 0 };
  const ready = { ...amounts, identityValidatedAt: now, card };

  it("are reported in the order in which the patient can complete them", () => {
    expect(paymentProblem({ ...ready, first: clp(0), identityValidatedAt: null, card: null }, {}, false, now)).toBe(
      "amount_too_small",
    );
    expect(paymentProblem({ ...ready, identityValidatedAt: null, card: null }, {}, false, now)).toBe(
      "processor_customer_identity_not_validated",
    );
    expect(paymentProblem({ ...ready, card: null }, {}, false, now)).toBe("processor_payment_method_not_found");
    expect(paymentProblem({ ...ready, card: { ...card, expMonth: 12, expYear: 2026 } }, {}, false, now)).toBe(
      "card_expires_too_soon",
    );
    expect(paymentProblem(ready, {}, false, now)).toBe("consents_missing");
    expect(paymentProblem(ready, {}, true, now)).toBeNull();
  });

  it("a card is valid to the last day of its month, and must be valid on day 45", () => {
    expect(expiresTooSoon({ expMonth: 12, expYear: 2026 }, new Date("2026-11-16T15:00:00Z"))).toBe(false);
    expect(expiresTooSoon({ expMonth: 12, expYear: 2026 }, new Date("2026-11-17T15:00:00Z"))).toBe(true);
  });

  it("a card is not refused because the processor does not report its expiry", () => {
    const { expMonth: _month, expYear: _year, holderName: _holder, ...unreported } = card;
    expect(paymentProblem({ ...ready, card: unreported }, {}, true, now)).toBeNull();
  });
});

describe("an amount in two parts", () => {
  // 70 % of 100,000, and the commission of 7 % on 100,000.
  const amounts = { total: clp(100_000), first: clp(30_000), deferred: clp(70_000), commissionBasisPoints: 700 };

  it.each([
    ["without limits", {}, null],
    ["at the most of a charge", { perCharge: clp(77_000) }, null],
    ["a peso above it", { perCharge: clp(76_999) }, "amount_too_large"],
    ["at the most of a day", { perPatientDay: clp(77_000) }, null],
    ["a peso above it", { perPatientDay: clp(76_999) }, "amount_too_large"],
    ["above the lower of both", { perCharge: clp(1_000_000), perPatientDay: clp(76_999) }, "amount_too_large"],
  ])("%s of the processor %o gives %s", (_case, limits, problem) => {
    expect(amountProblem(amounts, limits)).toBe(problem);
    const card = null;
    expect(paymentProblem({ ...amounts, identityValidatedAt: null, card }, limits, false, now)).toBe(
      problem ?? "processor_customer_identity_not_validated",
    );
  });
});

describe("identity attempts", () => {
  const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

  it("are limited to five an hour; one becomes free when the oldest is an hour old", () => {
    const counted = [0, 1, 2, 3, 4].map(at);
    expect(identityTries(counted.slice(0, 4))).toEqual({ left: 1, nextAt: null });
    expect(identityTries(counted)).toEqual({ left: 0, nextAt: new Date(now.getTime() + IDENTITY_WINDOW_MS) });
    expect(identityTries([])).toEqual({ left: IDENTITY_REJECTIONS_PER_HOUR_MAX, nextAt: null });
  });
});
