import { expect, it } from "vitest";
import { contrast, isReadableAccent } from "./partner-accent.ts";

it("contrast is counted as WCAG counts it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeGreaterThanOrEqual(4.5);
  expect(contrast("#777777", "#ffffff")).toBeLessThan(4.5);
});

it("an accent on which white words cannot be read is not taken", () => {
  expect(isReadableAccent("#6a1b9a")).toBe(true);
  expect(isReadableAccent("#ffd400")).toBe(false);
  expect(isReadableAccent("red; } body { display: none")).toBe(false);
  expect(isReadableAccent(undefined)).toBe(false);
});
