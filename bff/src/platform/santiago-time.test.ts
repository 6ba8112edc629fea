import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addCalendarDays,
  calendarDaysBetween,
  lastDayOfMonth,
  NotACalendarDay,
  santiagoDay,
  santiagoMoment,
  santiagoTimestamp,
} from "./santiago-time.ts";

describe("calendar days in Santiago", () => {
  it.each([
    ["2026-04-05T02:30:00Z", "2026-04-04", "23:30 for the first time"],
    ["2026-04-05T03:30:00Z", "2026-04-04", "23:30 for the second time"],
    ["2026-09-06T03:59:59Z", "2026-09-05", "the last second before midnight is skipped"],
    ["2026-09-06T04:00:00Z", "2026-09-06", "01:00, the first moment of a day without midnight"],
    ["2028-02-29T15:00:00Z", "2028-02-29", "a leap day"],
  ])("the moment %s in %s is on the day %s", (moment, day) => expect(santiagoDay(new Date(moment))).toBe(day));

  it("count 45 days across a change of the clocks", () => {
    expect(addCalendarDays("2026-09-05", 45)).toBe("2026-10-20");
    expect(addCalendarDays("2026-04-04", 45)).toBe("2026-05-19");
    expect(addCalendarDays("2028-02-29", 45)).toBe("2028-04-14");
  });

  it("end a month where it ends", () => {
    expect(lastDayOfMonth(2028, 2)).toBe("2028-02-29");
    expect(lastDayOfMonth(2026, 12)).toBe("2026-12-31");
  });

  it.each(["2026-02-30", "2026-1-1", "", "tomorrow"])("refuse %j", (text) =>
    expect(() => addCalendarDays(text, 1)).toThrow(NotACalendarDay),
  );

  it("give the number of days that was added", () => {
    const days = fc.integer({ min: -20_000, max: 20_000 });
    fc.assert(
      fc.property(days, days, (offset, distance) => {
        const day = addCalendarDays("2026-11-21", offset);
        expect(calendarDaysBetween(day, addCalendarDays(day, distance))).toBe(distance);
      }),
    );
  });
});

describe("moments of the clocks of Santiago", () => {
  it.each([
    ["2026-11-21", 9, "2026-11-21T12:00:00.000Z"],
    ["2026-06-15", 9, "2026-06-15T13:00:00.000Z"],
    ["2026-09-06", 9, "2026-09-06T12:00:00.000Z"],
    ["2026-04-05", 9, "2026-04-05T13:00:00.000Z"],
  ])("show %s at %d h as %s", (day, hour, moment) => expect(santiagoMoment(day, hour).toISOString()).toBe(moment));

  it("choose the first 23:30 when clocks are set back", () =>
    expect(santiagoMoment("2026-04-04", 23, 30).toISOString()).toBe("2026-04-05T02:30:00.000Z"));

  it("choose the moment of the change if midnight does not exist", () =>
    expect(santiagoMoment("2026-09-06").toISOString()).toBe("2026-09-06T04:00:00.000Z"));

  it("belong to their own day, whatever day that is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_650 }), fc.integer({ min: 0, max: 23 }), (offset, hour) => {
        const day = addCalendarDays("2024-01-01", offset);
        expect(santiagoDay(santiagoMoment(day, hour))).toBe(day);
      }),
    );
  });
});

it.each([
  ["2027-01-01T02:20:00.500Z", "2026-12-31T23:20:00-03:00"],
  ["2026-07-01T12:00:00Z", "2026-07-01T08:00:00-04:00"],
])("santiagoTimestamp writes %s as %s, which is the same moment", (moment, text) => {
  expect(santiagoTimestamp(new Date(moment))).toBe(text);
  expect(Math.floor(new Date(moment).getTime() / 1_000) * 1_000).toBe(new Date(text).getTime());
});
