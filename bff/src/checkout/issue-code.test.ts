import { describe, expect, it } from "vitest";
import { codeExpiry, isOpenToTries, nextCodeAt } from "./issue-code.ts";

const now = new Date("2026-11-21T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const inMinutes = (minutes: number) => minutesAgo(-minutes);

describe("nextCodeAt", () => {
  it.each([
    ["none was sent", [], null],
    ["one was sent a minute ago", [1], null],
    ["one was sent half a minute ago", [0.5], inMinutes(0.5)],
    ["four were sent within the hour", [2, 10, 20, 30], null],
    ["five were sent within the hour", [2, 10, 20, 30, 45], inMinutes(15)],
    ["ten were sent within the day", [61, 70, 80, 90, 120, 300, 400, 500, 600, 700], inMinutes(24 * 60 - 700)],
  ])("returns null, or the end of the pause if a code may not be sent yet: %s", (_case, sent, next) => {
    expect(nextCodeAt(sent.map(minutesAgo), now)).toEqual(next);
  });

  it("counts the pause from the newest code, in any order of the list", () => {
    expect(nextCodeAt([minutesAgo(30), minutesAgo(0.5), minutesAgo(10)], now)).toEqual(inMinutes(0.5));
  });
});

describe("a code", () => {
  it("expires after ten minutes or five wrong attempts", () => {
    const expiresAt = codeExpiry(now);
    expect(expiresAt).toEqual(inMinutes(10));
    expect(isOpenToTries({ expiresAt, tries: 4 }, new Date(expiresAt.getTime() - 1))).toBe(true);
    expect(isOpenToTries({ expiresAt, tries: 0 }, expiresAt)).toBe(false);
    expect(isOpenToTries({ expiresAt, tries: 5 }, now)).toBe(false);
  });
});
