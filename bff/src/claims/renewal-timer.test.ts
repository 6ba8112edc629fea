import { expect, it } from "vitest";
import { readRenewal, renewalPayload, TimerWithoutClaim } from "./renewal-timer.ts";

it.each([new Date("2026-11-21T15:00:00.123Z"), null])(
  "a renewal timer's payload keeps when access was given, or that the access is to be sent again: %s",
  (accessAt) => {
    const renewal = { claimId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", inquiries: 2, accessAt };
    expect(readRenewal(JSON.parse(JSON.stringify(renewalPayload(renewal))))).toEqual(renewal);
  },
);

it("a renewal timer of an earlier version has no time and sends the access again", () => {
  const claim_id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  expect(readRenewal({ claim_id, inquiries: 1 })).toEqual({ claimId: claim_id, inquiries: 1, accessAt: null });
});

it.each([
  null,
  "claim",
  {},
  { claim_id: "a" },
  { inquiries: 0 },
  { claim_id: 1, inquiries: 0 },
  { claim_id: "a", inquiries: "0" },
])("a timer without a claim is a defect: %j", (payload) => {
  expect(() => readRenewal(payload)).toThrow(TimerWithoutClaim);
});
