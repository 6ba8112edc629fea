import { describe, expect, it } from "vitest";
import { identityTries } from "./identity-tries.ts";

const MINUTE_MS = 60_000;
const start = Date.parse("2026-11-21T12:00:00Z");
const at = (minutes: number) => new Date(start + minutes * MINUTE_MS);

describe("five rejections within an hour", () => {
  it.each([0, 1, 4])("leave the right number of attempts after %i", (count) => {
    const tries = Array.from({ length: count }, (_, index) => at(index));
    expect(identityTries(tries)).toEqual({ left: 5 - count, nextAt: null });
  });

  it("pause further attempts until the oldest is an hour old, whatever the order of the list", () => {
    const tries = [20, 0, 40, 10, 30].map(at);
    expect(identityTries(tries)).toEqual({ left: 0, nextAt: at(60) });
  });

  it("count only the last five if there are more", () => {
    const tries = [0, 5, 10, 20, 30, 40, 50].map(at);
    expect(identityTries(tries)).toEqual({ left: 0, nextAt: at(70) });
  });
});
