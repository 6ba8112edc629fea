import { InvalidArgumentError } from "commander";
import { expect, it } from "vitest";
import { readDay, readMoment, readMonth } from "./arguments.ts";

it.each([
  [readDay, "0000-01-01"],
  [readDay, "2026-02-30"],
  [readMonth, "0000-01"],
  [readMoment, "0000-01-01T00:00:00Z"],
  [readMoment, "2026-02-30T00:00:00Z"],
  [readMoment, "2026-11-22T25:00:00Z"],
  [readMoment, "2026-11-22T14:05:00"],
  [readMoment, "yesterday"],
])("%o refuses %s, before the database does", (read: (text: string) => unknown, text) => {
  expect(() => read(text)).toThrow(InvalidArgumentError);
});

it("a moment has its time zone", () => {
  expect(readMoment("2026-11-22T14:05:00-03:00").toISOString()).toBe("2026-11-22T17:05:00.000Z");
});
