import { expect, test } from "vitest";
import { inquiryAt } from "./gateway-call.ts";

const now = new Date("2026-11-21T15:00:00Z");
const secondsAfter = (inquiries: number, isTaken = false) =>
  (inquiryAt(now, { inquiries, isTaken }).getTime() - now.getTime()) / 1_000;

test("inquiries come after 10 s, 30 s, 2 min, 10 min, then hourly", () => {
  const seconds = [0, 1, 2, 3, 4, 5, 50, 1_000].map((inquiries) => secondsAfter(inquiries));
  expect(seconds).toEqual([10, 30, 120, 600, 3_600, 3_600, 3_600, 3_600]);
});

test("inquiries about an accepted call come after 10 min, 1 h, 3 h, then every 6 h", () => {
  const seconds = [0, 1, 2, 3, 50].map((inquiries) => secondsAfter(inquiries, true));
  expect(seconds).toEqual([600, 3_600, 10_800, 21_600, 21_600]);
});
