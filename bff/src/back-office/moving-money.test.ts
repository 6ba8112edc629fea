import { expect, it } from "vitest";
import { COMPARED_DAYS, movingOf } from "./moving-money.ts";

const days = (counts: readonly number[]) =>
  counts.map((count, daysAgo) => ({ daysAgo, count, pesos: count * 12_000 })).filter(({ count }) => count > 0);

it.each([
  ["usual", [10, 9, 10, 11, 10, 12, 8, 10]],
  ["usual", [5, 9, 10, 11, 10, 12, 8, 10]],
  ["low", [4, 9, 10, 11, 10, 12, 8, 10]],
  ["low", [0, 4, 4, 4, 4, 0, 0, 9]],
  // A weekend and one busy day say nothing about today.
  ["quiet", [0, 90, 3, 3, 3, 0, 0, 0]],
  ["quiet", [0, 0, 0, 0, 0, 0, 0, 0]],
] as const)("movements of today are judged %s by the median of the days before: %j", (pace, counts) => {
  expect(movingOf("captured", days(counts)).pace).toBe(pace);
});

it("a day without a movement counts as none", () => {
  const { days: shown } = movingOf("captured", days([3, 0, 2]));
  expect(shown).toHaveLength(COMPARED_DAYS + 1);
  expect(shown.slice(0, 4).map(({ count, pesos }) => [count, pesos])).toEqual([
    [3, 36_000],
    [0, 0],
    [2, 24_000],
    [0, 0],
  ]);
  expect(movingOf("claims", []).days[0]?.pesos).toBeNull();
});
