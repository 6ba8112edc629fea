import { expect, it } from "vitest";
import { movableClock, systemClock } from "./clock.ts";

it("a movable clock does not move by itself", () => {
  const clock = movableClock(new Date("2026-04-04T23:30:00Z"));
  expect(clock.now()).toEqual(new Date("2026-04-04T23:30:00Z"));
  clock.advance(90_000);
  expect(clock.now()).toEqual(new Date("2026-04-04T23:31:30Z"));
  clock.set(new Date("2026-09-06T04:00:00Z"));
  expect(clock.now()).toEqual(new Date("2026-09-06T04:00:00Z"));
});

it("a movable clock is unaffected by changes to a date that it was given or has returned", () => {
  const clock = movableClock(new Date("2026-04-04T23:30:00Z"));
  clock.now().setFullYear(1999);
  expect(clock.now().getUTCFullYear()).toBe(2026);
});

it("a movable clock cannot be created with an invalid date", () => {
  const clock = movableClock(new Date(0));
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
  expect(() => movableClock(new Date("soon"))).toThrow(RangeError);
});

it("the system's clock moves forward", () => {
  const before = Date.now();
  expect(systemClock.now().getTime()).toBeGreaterThanOrEqual(before);
});
