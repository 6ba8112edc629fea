import { describe, expect, it } from "vitest";
import { momentOfSantiago, santiagoTimeOf } from "./santiago-time.ts";

describe("a moment on the clinic's clock", () => {
  it.each([
    ["in summer", "2026-11-21T12:30:00.000Z", "2026-11-21T09:30"],
    ["in winter", "2026-07-01T12:30:00.000Z", "2026-07-01T08:30"],
    ["just after midnight", "2026-11-22T03:05:00.000Z", "2026-11-22T00:05"],
    ["an hour before summer ends", "2026-04-05T01:30:00.000Z", "2026-04-04T22:30"],
    ["an hour after summer has ended", "2026-04-05T05:30:00.000Z", "2026-04-05T01:30"],
    ["an hour after summer has begun", "2026-09-06T05:30:00.000Z", "2026-09-06T02:30"],
  ])("%s is shown in Santiago's time and converted back", (_when, utc, shown) => {
    expect(santiagoTimeOf(new Date(utc))).toBe(shown);
    expect(momentOfSantiago(shown)?.toISOString()).toBe(utc);
  });

  it.each(["", "yesterday", "2026-13-01T00:00"])("is null if the field contains %j", (shown) => {
    expect(momentOfSantiago(shown)).toBeNull();
  });
});
