import { expect, test } from "vitest";
import { calendarDaysBetween, santiagoDay } from "../../platform/santiago-time.ts";
import { daysToCompare } from "./days-to-compare.ts";

const days = (compared: Parameters<typeof daysToCompare>[0]) =>
  daysToCompare(compared).map(({ from, to }) => [santiagoDay(from), santiagoDay(to)]);

test("the three days before the last run are compared again, for lines that came late", () => {
  expect(days({ today: "2026-12-10", comparedUntil: "2026-12-09", differing: [] })).toEqual([
    ["2026-12-06", "2026-12-10"],
  ]);
});

test("days without a run are compared by the next run", () => {
  expect(days({ today: "2026-12-20", comparedUntil: "2026-12-09", differing: [] })).toEqual([
    ["2026-12-06", "2026-12-20"],
  ]);
});

test("the day of an old open difference is also compared again, once", () => {
  const differing = ["2026-11-02", "2026-12-08", "2026-10-30", "2026-11-02"];
  expect(days({ today: "2026-12-10", comparedUntil: "2026-12-10", differing })).toEqual([
    ["2026-10-30", "2026-10-31"],
    ["2026-11-02", "2026-11-03"],
    ["2026-12-07", "2026-12-10"],
  ]);
});

test("a long range is split into adjacent pieces", () => {
  const pieces = days({ today: "2026-12-10", comparedUntil: "2026-08-01", differing: [] });
  expect(pieces[0]?.[0]).toBe("2026-07-29");
  expect(pieces.at(-1)?.[1]).toBe("2026-12-10");
  for (const [index, [from = "", to = ""]] of pieces.entries()) {
    expect(calendarDaysBetween(from, to)).toBeLessThanOrEqual(31);
    expect(pieces[index + 1]?.[0] ?? to).toBe(to);
  }
});

test("a clock set back compares no future days", () => {
  expect(days({ today: "2026-12-10", comparedUntil: "2027-01-20", differing: [] })).toEqual([
    ["2026-12-07", "2026-12-10"],
  ]);
});
