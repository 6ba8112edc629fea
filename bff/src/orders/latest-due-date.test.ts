import { describe, expect, it } from "vitest";
import { latestDueDate } from "./instalment-plan.ts";

describe("latestDueDate", () => {
  it.each([
    ["2026-04-05T02:30:00Z", "2026-05-19"],
    ["2026-04-05T03:30:00Z", "2026-05-19"],
    ["2026-09-06T03:59:59Z", "2026-10-20"],
    ["2028-02-29T15:00:00Z", "2028-04-14"],
  ])("for a payment at %s is %s, 45 calendar days later in Santiago", (paidAt, day) =>
    expect(latestDueDate(new Date(paidAt))).toBe(day),
  );
});
