import { expect, test } from "vitest";
import { OVERLAP_HOURS_MAX } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { OverlapRefused, requireOverlap } from "./credentials.ts";

test.each([-1, OVERLAP_HOURS_MAX * HOUR_MS + 1, Number.NaN])("an overlap of %d ms is refused", (overlapMs) => {
  expect(() => requireOverlap(overlapMs)).toThrow(OverlapRefused);
});

test.each([0, OVERLAP_HOURS_MAX * HOUR_MS])("an overlap of %d ms is accepted", (overlapMs) => {
  expect(() => requireOverlap(overlapMs)).not.toThrow();
});
