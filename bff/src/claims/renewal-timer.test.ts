import { expect, it } from "vitest";
import { readRenewal, renewalPayload } from "./renewal-timer.ts";

it.each([new Date("2026-11-21T15:00:00.123Z"), null])(
  "a timer says when the patient gave the access that it sends, or that the insurer is sent it once more: %s",
  (accessAt) => {
    const renewal = { claimId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", inquiries: 2, accessAt };
    expect(readRenewal(JSON.parse(JSON.stringify(renewalPayload(renewal))))).toEqual(renewal);
  },
);
