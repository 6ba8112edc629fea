import { expect, it } from "vitest";
import { classifyStatus, nextAttemptAt } from "./delivery-schedule.ts";

it("a delivery has six attempts: at once, then 1, 5, 15, 30 and 60 minutes after the previous one ended", () => {
  const ended = new Date("2026-11-21T12:00:07Z");
  const minutes = [1, 2, 3, 4, 5, 6].map((failures) => {
    const next = nextAttemptAt(failures, ended);
    return next === null ? null : (next.getTime() - ended.getTime()) / 60_000;
  });
  expect(minutes).toEqual([1, 5, 15, 30, 60, null]);
});

it.each([
  [200, "succeeded"],
  [204, "succeeded"],
  [299, "succeeded"],
  [300, "redirect"],
  [301, "redirect"],
  [307, "redirect"],
  [399, "redirect"],
  [400, "status"],
  [410, "status"],
  [500, "status"],
  [503, "status"],
])("an attempt answered with status %i is %s", (status, verdict) => {
  const judged = classifyStatus(status);
  expect(judged.outcome === "failed" ? judged.failure : judged.outcome).toBe(verdict);
});
