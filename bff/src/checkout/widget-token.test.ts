import { describe, expect, it } from "vitest";
import { widgetSessionSchema } from "../contract/widget-tokens.ts";
import { eventTypeOf, expiryOf, isServiceMade, type PatientFacts, stateOf } from "./widget-token.ts";

const now = new Date("2026-11-21T12:00:00Z");
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

it("every token that the service mints itself requires a one-time code", () => {
  const purposes = widgetSessionSchema.shape.purpose.options;
  expect(purposes.filter((purpose) => !isServiceMade(purpose))).toEqual(["checkout", "onboarding"]);
  expect(purposes.length).toBeGreaterThan(2);
});

describe("a widget token", () => {
  it.each([
    [{ expiresInMinutes: undefined, longTerm: false }, 60],
    [{ expiresInMinutes: undefined, longTerm: true }, 43_200],
    [{ expiresInMinutes: 15, longTerm: false }, 15],
    [{ expiresInMinutes: 15, longTerm: true }, 15],
    [{ expiresInMinutes: 43_200, longTerm: false }, 43_200],
  ])("minted with %j lasts %i minutes", (asked, minutes) => {
    expect(expiryOf(asked, now)).toEqual(inMinutes(minutes));
  });

  it("is live until the moment of its expiry", () => {
    const token = { expiresAt: inMinutes(60), usedAt: null, revokedAt: null };
    expect(stateOf(token, null, new Date(inMinutes(60).getTime() - 1))).toBe("live");
    expect(stateOf(token, null, inMinutes(60))).toBe("expired");
  });

  it("is used once used up, and expired after its time even if used", () => {
    const token = { expiresAt: inMinutes(60), usedAt: now, revokedAt: null };
    expect(stateOf(token, "pending", now)).toBe("used");
    expect(stateOf(token, "pending", inMinutes(60))).toBe("expired");
  });

  it("stays revoked after its use or its order's payment, and is expired after its time", () => {
    const token = { expiresAt: inMinutes(60), usedAt: now, revokedAt: now };
    expect(stateOf(token, "paid", now)).toBe("revoked");
    expect(stateOf(token, "paid", inMinutes(60))).toBe("expired");
  });

  it("is used when its order has been paid, and live while the order is pending or cancelled", () => {
    const token = { expiresAt: inMinutes(60), usedAt: null, revokedAt: null };
    for (const status of ["paid", "partially_refunded", "refunded"] as const)
      expect(stateOf(token, status, now)).toBe("used");
    for (const status of ["pending", "partially_paid", "cancelled"] as const)
      expect(stateOf(token, status, now)).toBe("live");
  });
});

describe("the event type", () => {
  const patient: PatientFacts = { subscribed: true, freeTrial: false, chargedToProvider: false };

  it.each([
    [null, "SPOT_USER_NEW"],
    [{}, "SPOT_USER_SUBSCRIBED"],
    [{ chargedToProvider: true }, "PROVIDER_CHARGES"],
    [{ freeTrial: true }, "REFUNDS_LEFT"],
    [{ subscribed: false }, "FREE_TRIAL_EXPIRED_USER"],
  ])("for %j is %s", (facts, eventType) => {
    expect(eventTypeOf("checkout", facts && { ...patient, ...facts })).toBe(eventType);
  });

  it("asks for insurer access only with a token that the service made for that purpose", () => {
    expect(eventTypeOf("insurer_access", patient)).toBe("INSURER_ACCESS_BLOCKED");
  });
});
