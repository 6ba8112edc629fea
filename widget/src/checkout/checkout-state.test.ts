import { ERROR_CODES } from "bff/contract/error-codes";
import { describe, expect, it } from "vitest";
import { refusalWith } from "../gallery/recorded-answers.ts";
import { type CheckoutEvent, type CheckoutState, openCheckout, type Place, reduceCheckout } from "./checkout-state.ts";
import type { Facts, StepName } from "./steps.ts";

const NEW_PATIENT: Facts = {
  hasOrder: true,
  isNewPatient: true,
  identityValidated: false,
  cardAdded: false,
  keepsCards: false,
  orderStatus: "pending",
};
const READY: Facts = { ...NEW_PATIENT, isNewPatient: false, identityValidated: true, cardAdded: true };

function at(step: StepName, facts: Facts = NEW_PATIENT): CheckoutState {
  return { ...openCheckout(facts), place: { at: "step", step, problem: null } };
}

function stepOf(place: Place): StepName | null {
  return place.at === "step" ? place.step : null;
}

describe("the opening screen", () => {
  const openings: readonly (readonly [string, Partial<Facts>, Place["at"], StepName | null])[] = [
    ["a new patient", {}, "step", "summary"],
    ["a known patient who has done nothing", { isNewPatient: false }, "step", "summary"],
    ["a patient whose identity is validated", { isNewPatient: false, identityValidated: true }, "step", "card"],
    ["a patient with a card", READY, "step", "review"],
    ["a new patient whose identity is validated", { identityValidated: true }, "step", "summary"],
    ["a paid order", { ...READY, orderStatus: "paid" }, "done", null],
    ["a refunded order", { ...READY, orderStatus: "refunded" }, "done", null],
    ["a cancelled order", { orderStatus: "cancelled" }, "ended", null],
    ["an order that can never be paid", { blockedBy: "amount_too_large" }, "ended", null],
    ["a sign-up without an order", { hasOrder: false, orderStatus: null }, "step", "patient"],
    ["a sign-up that is done", { hasOrder: false, orderStatus: null, isNewPatient: false }, "done", null],
  ];

  it.each(openings)("for %s", (_who, facts, place, step) => {
    const opened = openCheckout({ ...NEW_PATIENT, ...facts });
    expect(opened.place.at).toBe(place);
    expect(stepOf(opened.place)).toBe(step);
  });
});

describe("the way forward and back", () => {
  it("skips completed steps", () => {
    const known = { ...NEW_PATIENT, isNewPatient: false };
    expect(stepOf(reduceCheckout(at("summary", known), { type: "continued" }, known).place)).toBe("identity");
  });

  it("leads back to the card, which can be changed, and past the identity, which cannot", () => {
    expect(stepOf(reduceCheckout(at("review", READY), { type: "went_back" }, READY).place)).toBe("card");
    expect(stepOf(reduceCheckout(at("card", READY), { type: "went_back" }, READY).place)).toBe("summary");
  });

  it("keeps the number of steps while they are completed", () => {
    const start = openCheckout(NEW_PATIENT);
    const registered = { ...NEW_PATIENT, isNewPatient: false };
    expect(reduceCheckout(start, { type: "continued" }, registered).steps).toEqual(start.steps);
    expect(start.steps).toEqual(["summary", "patient", "card", "review"]);
  });

  it("does not open a step before its prerequisites", () => {
    const opened = reduceCheckout(at("summary"), { type: "opened", step: "review" }, NEW_PATIENT);
    expect(stepOf(opened.place)).toBe("summary");
  });
});

describe("problem of a step", () => {
  it.each(ERROR_CODES)("%s leads to a screen that can show it", (code) => {
    const failed: CheckoutEvent = { type: "failed", problem: refusalWith(code, 400) };
    const { place } = reduceCheckout(
      { ...at("review", READY), place: { at: "paying", doing: "sending" } },
      failed,
      READY,
    );
    expect(["step", "ended", "credit_refused"]).toContain(place.at);
    expect(place).toHaveProperty("problem.code", code);
  });

  it("disappears when the next attempt starts", () => {
    const problem = refusalWith("identity_rejected", 422);
    const failed = reduceCheckout(at("identity"), { type: "failed", problem }, NEW_PATIENT);
    expect(failed.place).toMatchObject({ step: "identity", problem });
    expect(reduceCheckout(failed, { type: "submitted" }, NEW_PATIENT).place).toMatchObject({ problem: null });
  });
});

describe("expired token", () => {
  it("closes the form, and a fresh token returns to the same place", () => {
    const known = { ...NEW_PATIENT, isNewPatient: false };
    const identity = reduceCheckout(at("summary", known), { type: "continued" }, known);
    const ended = reduceCheckout(identity, { type: "expired" }, known);
    expect(ended.place.at).toBe("ended");
    expect(stepOf(reduceCheckout(ended, { type: "facts_changed" }, known).place)).toBe("identity");
  });

  it.each([
    { at: "paying", doing: "checking" },
    { at: "challenge", challenge: { url: "https://bank.example", expires_at: "2026-11-21T15:30:00.000Z" } },
    { at: "done", kind: "payment" },
    { at: "credit_refused", problem: refusalWith("credit_declined", 400) },
  ] satisfies readonly Place[])("keeps the screen $at", (place) => {
    const state = { ...openCheckout(READY), place };
    expect(reduceCheckout(state, { type: "expired" }, READY).place).toEqual(place);
  });
});

describe("server state", () => {
  it("wins when it has settled the order", () => {
    const paid: Facts = { ...READY, orderStatus: "paid" };
    expect(reduceCheckout(at("review", READY), { type: "facts_changed" }, paid).place).toEqual({
      at: "done",
      kind: "payment",
    });
  });

  it("does not move a patient who is in the middle of a step", () => {
    expect(reduceCheckout(at("card", READY), { type: "facts_changed" }, READY).place).toMatchObject({ step: "card" });
  });
});
