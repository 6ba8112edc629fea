import { expect, it } from "vitest";
import { ROOM_TIMELINES } from "../timeline/order-timeline.ts";
import { durationWords, momentWords, TIMELINE_WORDS } from "./words.ts";

it("there are Spanish words for exactly the timeline entries that exist", () => {
  const kinds = ROOM_TIMELINES.flatMap((part) => Object.keys(part.kinds));
  expect(Object.keys(TIMELINE_WORDS).toSorted()).toEqual([...new Set(kinds)].toSorted());
});

it.each([
  [0, "0 s"],
  [59, "59 s"],
  [60, "1 min"],
  [3_599, "59 min"],
  [3_600, "1 h 0 min"],
  [86_400 + 5 * 3_600, "1 d 5 h"],
])("%i seconds are written as %s", (seconds, words) => {
  expect(durationWords(seconds)).toBe(words);
});

it("a moment is written as clocks in Santiago show it, in summer and in winter", () => {
  expect(momentWords("2026-11-21T15:21:10.000Z")).toBe("21 nov 2026, 12:21:10");
  expect(momentWords("2026-07-21T15:21:10.000Z")).toBe("21 jul 2026, 11:21:10");
});
