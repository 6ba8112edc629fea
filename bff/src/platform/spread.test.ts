import { expect, test } from "vitest";
import { seededIds } from "./ids.ts";
import { SPREAD_MS, spreadFrom } from "./spread.ts";

const MOMENT = new Date("2026-11-24T13:00:00Z");
const ids = seededIds("spread");
const offsetOf = (id: string) => spreadFrom(MOMENT, id).getTime() - MOMENT.getTime();

test("an id always has the same offset", () => {
  const id = ids.uuid();
  const later = new Date("2027-04-04T13:00:00Z");
  expect(spreadFrom(later, id).getTime() - later.getTime()).toBe(offsetOf(id));
});

test("each offset is a whole number of milliseconds within the hour", () => {
  for (let index = 0; index < 1_000; index += 1) {
    const offset = offsetOf(ids.uuid());
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset).toBeLessThan(SPREAD_MS);
    expect(Number.isInteger(offset)).toBe(true);
  }
});

test("45,000 ids spread evenly over 45 minutes", () => {
  const minutes = new Array<number>(45).fill(0);
  for (let index = 0; index < 45_000; index += 1) {
    const minute = Math.floor(offsetOf(ids.uuid()) / 60_000);
    minutes[minute] = (minutes[minute] ?? 0) + 1;
  }
  // Five standard deviations below the average of a minute.
  expect(Math.min(...minutes)).toBeGreaterThan(840);
  expect(Math.max(...minutes)).toBeLessThan(1_160);
});
