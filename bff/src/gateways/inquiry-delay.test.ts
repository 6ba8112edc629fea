import { expect, test } from "vitest";
import { inquiryDelayMs } from "./inquiry-delay.ts";

test("inquiries come after 10 s, 30 s, 2 min, 10 min, then hourly", () => {
  const seconds = [0, 1, 2, 3, 4, 5, 50, 1_000].map((inquiries) => inquiryDelayMs(inquiries) / 1_000);
  expect(seconds).toEqual([10, 30, 120, 600, 3_600, 3_600, 3_600, 3_600]);
});
