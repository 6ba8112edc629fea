import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { parseRut } from "../../contract/vocabulary/rut.ts";
import { inquiryAt } from "../../gateways/gateway-call.ts";
import {
  effectsOf,
  firstState,
  type GatewayAnswer,
  hasEnded,
  isWaiting,
  nextInquiryAt,
  nextStep,
  orderDuring,
  type PaymentAttempt,
  type Step,
  type StepEffects,
} from "./payment-attempt.ts";

const now = new Date("2026-11-21T15:00:00Z");
const later = new Date("2026-11-21T15:10:00Z");

function attempt(overrides: Partial<PaymentAttempt> = {}): PaymentAttempt {
  const orderId = readOrderId("3f2504e0-4f89-41d3-9a0c-0305e82c3301");
  if (orderId === null) throw new Error("A UUID is an order hash.");
  return {
    providerId: "p",
    orderId,
    id: "a",
    state: "authorising_loan",
    connectors: { cardProcessor: null, financingProvider: null },
    captureFirst: false,
    first: clp(12_000),
    deferred: clp(28_000),
    stampTax: clp(0),
    rut: parseRut("40100000-3"),
    card: { id: "c", last4: "6623" },
    loanId: null,
    authenticationId: null,
    challenge: null,
    chargeId: null,
    ending: null,
    isReturnTaken: false,
    inquiries: 0,
    startedAt: new Date(0),
    ...overrides,
  };
}

const authorised: GatewayAnswer = { to: "loan", answer: { outcome: "authorised", loanId: "l" } };
const refused: GatewayAnswer = { to: "loan", answer: { outcome: "refused", reasons: ["Sin capacidad de pago."] } };
const notNeeded: GatewayAnswer = { to: "authentication", answer: { outcome: "not_needed" } };
const captured: GatewayAnswer = { to: "charge", answer: { outcome: "captured", chargeId: "x", amount: clp(12_000) } };
const declined: GatewayAnswer = { to: "charge", answer: { outcome: "declined", reason: "declined", hard: false } };
const confirmed: GatewayAnswer = { to: "confirmation", answer: { outcome: "confirmed" } };
const unconfirmed: GatewayAnswer = { to: "confirmation", answer: { outcome: "refused", reasons: ["No."] } };
const reduced: GatewayAnswer = { to: "reduction", answer: { outcome: "reduced", remaining: clp(0) } };
const returned: GatewayAnswer = { to: "return", answer: { outcome: "returned", returnId: "r", amount: clp(12_000) } };
const notReturned: GatewayAnswer = { to: "return", answer: { outcome: "refused" } };

/** The states that an attempt passes through with these answers, and the effects of each step. */
function walk(start: PaymentAttempt, answers: readonly GatewayAnswer[]) {
  let current = start;
  const states: string[] = [start.state];
  const effects: string[] = [];
  const failures: StepEffects["failure"][] = [];
  for (const answer of answers) {
    const step: Step = nextStep(current, answer, now);
    const { payment, trigger, failure, transfers } = effectsOf(current, step, now);
    failures.push(failure);
    effects.push(...[payment, trigger, ...transfers.map(({ cause }) => cause)].filter((effect) => effect !== null));
    current = { ...current, ...step };
    states.push(current.state);
  }
  return { states, effects, failures, current };
}

describe("an attempt", () => {
  it("starts with the credit, or with the card if the provider captures first", () => {
    expect(firstState(false)).toBe("authorising_loan");
    expect(firstState(true)).toBe("authenticating");
  });

  it.each([
    [false, null, "paying"],
    [false, "x", "paying"],
    [true, null, "paying"],
    [true, "x", "first_captured"],
  ] as const)("leaves its order partly paid only if money was captured first (%s, %s: %s)", (...given) => {
    const [captureFirst, chargeId, state] = given;
    expect(orderDuring(attempt({ captureFirst, chargeId })).state).toBe(state);
  });

  it("waits for the patient or a review without an open call", () => {
    expect((["challenged", "loan_under_review"] as const).map(isWaiting)).toEqual([true, true]);
    expect((["authorising_loan", "capturing", "returning_charge", "succeeded"] as const).some(isWaiting)).toBe(false);
  });

  it("throws a named error if it is undone without a recorded reason", () => {
    const undone = attempt({ state: "cancelling_loan", loanId: "l" });
    expect(() => nextStep(undone, reduced, now)).toThrow(expect.objectContaining({ code: "ending_unknown" }));
  });

  it("gets the credit decision before it captures money", () => {
    const { states, effects } = walk(attempt(), [authorised, notNeeded, captured, confirmed]);
    expect(states).toEqual(["authorising_loan", "authenticating", "capturing", "confirming_loan", "succeeded"]);
    expect(effects).toEqual(["captured", "capture:a", "complete_payment", "loan:a"]);
  });

  it("captures money first if the provider captures first", () => {
    const start = attempt({ captureFirst: true, state: firstState(true) });
    const { states, effects } = walk(start, [notNeeded, captured, authorised, confirmed]);
    expect(states).toEqual(["authenticating", "capturing", "authorising_loan", "confirming_loan", "succeeded"]);
    expect(effects).toEqual(["captured", "capture_first", "capture:a", "complete_payment", "loan:a"]);
  });

  it("books the stamp tax that its commission includes once the loan is confirmed", () => {
    const taxed = attempt({ state: "confirming_loan", chargeId: "x", loanId: "l", stampTax: clp(42) });
    expect(effectsOf(taxed, nextStep(taxed, confirmed, now), now).transfers).toMatchObject([
      { cause: "loan:a", amount: 28_000 },
      { cause: "stamp-tax:a", debit: "stamp_tax", credit: "stamp_tax_owed", amount: 42 },
    ]);
    expect(effectsOf(taxed, nextStep(taxed, unconfirmed, now), now).transfers).toEqual([]);
  });

  it("cancels the loan after a declined card, and may be retried", () => {
    const { states, effects, current } = walk(attempt(), [authorised, notNeeded, declined, reduced]);
    expect(states.slice(-2)).toEqual(["cancelling_loan", "declined"]);
    expect(effects).toEqual(["declined", "decline_payment"]);
    expect(current.ending).toEqual({ as: "declined", reason: "declined" });
  });

  it("has nothing to undo after a refused credit", () => {
    const { states, effects } = walk(attempt(), [refused]);
    expect(states).toEqual(["authorising_loan", "failed"]);
    expect(effects).toEqual(["failed", "fail_payment"]);
  });

  it.each([
    ["a refused confirmation", attempt(), [authorised, notNeeded, captured, unconfirmed, returned]],
    [
      "a refused credit",
      attempt({ captureFirst: true, state: "authenticating" }),
      [notNeeded, captured, refused, returned],
    ],
  ] as const)("returns the money after %s following the capture", (_what, start, answers) => {
    const { states, effects } = walk(start, answers);
    expect(states.slice(-2)).toEqual(["returning_charge", "failed"]);
    expect(effects.slice(-3)).toEqual(["undone", "fail_payment", "return:a"]);
  });

  it.each([
    ["not charged", [refused], "The financing provider refused the credit."],
    ["returned", [authorised, notNeeded, captured, unconfirmed, returned], "; the first instalment was given back."],
    ["not returned", [authorised, notNeeded, captured, unconfirmed, notReturned], "could not be given back yet."],
  ] as const)("reports a failure whose first instalment was %s only with its last step", (_what, answers, message) => {
    const { failures } = walk(attempt(), answers);
    expect(failures.at(-1)?.message).toContain(message);
    expect(failures.slice(0, -1).every((failure) => failure === null)).toBe(true);
  });

  it("ends with its charge marked captured, for an operator, if the money cannot be returned", () => {
    const { current, effects } = walk(attempt(), [authorised, notNeeded, captured, unconfirmed, notReturned]);
    expect(current).toMatchObject({ state: "failed", attention: "return_refused" });
    expect(effects).not.toContain("undone");
  });

  it("stores the processor's reason for refusing to return the money", () => {
    const undone = attempt({
      state: "returning_charge",
      chargeId: "x",
      ending: { as: "declined", reason: "declined" },
    });
    const refusal: GatewayAnswer = { to: "return", answer: { outcome: "refused", reason: "too_old" } };
    expect(nextStep(undone, refusal, now)).toMatchObject({ attention: "return_refused", refusal: "too_old" });
    expect(nextStep(undone, notReturned, now)).not.toHaveProperty("refusal");
  });

  it("captures with the issuer's proof if there was a challenge", () => {
    const authenticated: GatewayAnswer = {
      to: "authentication",
      answer: { outcome: "authenticated", authenticationId: "t" },
    };
    const asking = attempt({ state: "authenticating", loanId: "l" });
    expect(nextStep(asking, authenticated, now)).toEqual({ state: "capturing", authenticationId: "t" });
    expect(nextStep(asking, notNeeded, now)).toEqual({ state: "capturing" });
  });

  it("waits at the challenge until it is answered, and is abandoned when the challenge expires", () => {
    const challenge: GatewayAnswer = {
      to: "authentication",
      answer: { outcome: "challenge", authenticationId: "t", url: "https://bank.example/c", expiresAt: later },
    };
    const waiting = attempt({ state: "challenged", loanId: "l" });
    expect(nextStep(waiting, challenge, now).state).toBe("challenged");
    expect(nextStep(waiting, challenge, later)).toMatchObject({
      state: "cancelling_loan",
      ending: { as: "declined", reason: "authentication_abandoned" },
    });
  });

  it("ends after any sequence of answers, and books each movement once", () => {
    const answersFor = (state: string): readonly GatewayAnswer[] =>
      ({
        authorising_loan: [authorised, refused],
        authenticating: [notNeeded],
        capturing: [captured, declined],
        confirming_loan: [confirmed, unconfirmed],
        cancelling_loan: [reduced],
        returning_charge: [returned, notReturned],
      })[state] ?? [];
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), (captureFirst, choices) => {
        let current = attempt({ captureFirst, state: firstState(captureFirst) });
        const causes: string[] = [];
        for (const choice of choices) {
          const possible = answersFor(current.state);
          const answer = possible[choice % Math.max(1, possible.length)];
          if (answer === undefined) break;
          const step = nextStep(current, answer, now);
          causes.push(...effectsOf(current, step, now).transfers.map(({ cause }) => cause));
          current = { ...current, ...step };
        }
        expect(hasEnded(current.state)).toBe(true);
        expect(new Set(causes).size).toBe(causes.length);
        expect(causes.includes("loan:a")).toBe(current.state === "succeeded");
      }),
    );
  });
});

describe("the next inquiry", () => {
  it("is no later than the end of a challenge", () => {
    const challenge = { url: "https://bank.example/c", expiresAt: new Date(now.getTime() + 60_000) };
    expect(nextInquiryAt({ state: "challenged", inquiries: 3, challenge }, now)).toEqual(challenge.expiresAt);
    expect(nextInquiryAt({ state: "capturing", inquiries: 3, challenge }, now).getTime()).toBe(now.getTime() + 600_000);
  });

  it("follows the schedule if a challenge ends now or has ended, without an immediate repeat", () => {
    for (const endedAgoMs of [0, 60_000]) {
      const challenge = { url: "https://bank.example/c", expiresAt: new Date(now.getTime() - endedAgoMs) };
      expect(nextInquiryAt({ state: "challenged", inquiries: 0, challenge }, now)).toEqual(inquiryAt(now));
    }
  });

  it("is later for a return that the processor has accepted", () => {
    const asked = (isReturnTaken: boolean) =>
      nextInquiryAt({ state: "returning_charge", inquiries: 0, challenge: null, isReturnTaken }, now);
    expect(asked(true)).toEqual(inquiryAt(now, { isTaken: true }));
    expect(asked(false)).toEqual(inquiryAt(now));
    expect(asked(true).getTime()).toBeGreaterThan(asked(false).getTime());
  });
});
