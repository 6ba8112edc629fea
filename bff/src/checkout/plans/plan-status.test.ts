import { describe, expect, it } from "vitest";
import { planStatus } from "./plan-status.ts";

const now = new Date("2026-11-21T12:00:00Z");
const later = new Date("2026-11-21T12:00:00.001Z");
const active = { status: "active", validUntil: null } as const;
const none = { is_subscribed: false, is_free_trial: false };

describe("planStatus", () => {
  it("reports an unregistered RUT as not subscribed", () => {
    expect(planStatus(null, now)).toEqual(none);
  });

  it.each([
    [0, true],
    [1, true],
    [2, false],
    [3, false],
  ])("after %i sent expenses reports the free trial as valid: %s", (expensesSent, valid) => {
    expect(planStatus({ plan: null, expensesSent }, now)).toEqual({
      is_subscribed: valid,
      is_free_trial: valid,
    });
  });

  it("reports an active plan as subscribed and not a trial, after any number of expenses", () => {
    for (const expensesSent of [0, 2, 50]) {
      expect(planStatus({ plan: active, expensesSent }, now)).toEqual({
        is_subscribed: true,
        is_free_trial: false,
      });
    }
  });

  it("reports a cancelled plan as not subscribed, even if the trial was never used", () => {
    expect(planStatus({ plan: { status: "cancelled", validUntil: null }, expensesSent: 0 }, now)).toEqual(none);
    expect(planStatus({ plan: { status: "cancelled", validUntil: later }, expensesSent: 0 }, now)).toEqual(none);
  });

  it("reports the plan as expired from the moment of its end", () => {
    const until = (validUntil: Date) => ({ plan: { ...active, validUntil }, expensesSent: 0 });
    expect(planStatus(until(later), now).is_subscribed).toBe(true);
    expect(planStatus(until(now), now).is_subscribed).toBe(false);
  });
});
