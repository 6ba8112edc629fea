import { describe, expect, it } from "vitest";
import { planStatus } from "./plan-status.ts";

const now = new Date("2026-11-21T12:00:00Z");
const later = new Date("2026-11-21T12:00:00.001Z");
const active = { status: "active", validUntil: null } as const;
const none = { is_subscribed: false, is_free_trial: false };

describe("who is subscribed", () => {
  it("is nobody who is no user", () => {
    expect(planStatus(null, now)).toEqual(none);
  });

  it.each([
    [0, true],
    [1, true],
    [2, false],
    [3, false],
  ])("with %i expenses sent, the free trial is valid: %s", (expensesSent, valid) => {
    expect(planStatus({ plan: null, expensesSent }, now)).toEqual({
      is_subscribed: valid,
      is_free_trial: valid,
    });
  });

  it("with an active plan, however many expenses were sent, and it is no trial", () => {
    for (const expensesSent of [0, 2, 50]) {
      expect(planStatus({ plan: active, expensesSent }, now)).toEqual({
        is_subscribed: true,
        is_free_trial: false,
      });
    }
  });

  it("is not with a cancelled plan, even if the trial was never used", () => {
    expect(planStatus({ plan: { status: "cancelled", validUntil: null }, expensesSent: 0 }, now)).toEqual(none);
    expect(planStatus({ plan: { status: "cancelled", validUntil: later }, expensesSent: 0 }, now)).toEqual(none);
  });

  it("ends at the moment at which the plan ends", () => {
    const until = (validUntil: Date) => ({ plan: { ...active, validUntil }, expensesSent: 0 });
    expect(planStatus(until(later), now).is_subscribed).toBe(true);
    expect(planStatus(until(now), now).is_subscribed).toBe(false);
  });
});
