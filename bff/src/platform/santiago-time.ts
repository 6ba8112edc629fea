import { DAY_MS, MINUTE_MS } from "../contract/vocabulary/durations.ts";

/**
 * Calendar days and wall-clock moments in America/Santiago, where due dates are counted (a day is not 24 hours there
 * twice a year, and midnight does not exist on one day of September).
 */
const ZONE = "America/Santiago";

const wallClock = new Intl.DateTimeFormat("en-US", {
  timeZone: ZONE,
  hourCycle: "h23",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** A day as `YYYY-MM-DD`. */
export type CalendarDay = string;

/** Thrown when a text that had to be a calendar day is none. */
export class NotACalendarDay extends Error {
  override readonly name = "NotACalendarDay";
}

/** The day that it is in Santiago at a moment. */
export function santiagoDay(moment: Date): CalendarDay {
  return formatDay(wallTimeMs(moment));
}

/** So many calendar days later; negative goes back. */
export function addCalendarDays(day: CalendarDay, days: number): CalendarDay {
  return formatDay(dayMs(day) + days * DAY_MS);
}

/** How many calendar days lie from one day to another; negative when the other is earlier. */
export function calendarDaysBetween(from: CalendarDay, to: CalendarDay): number {
  return Math.round((dayMs(to) - dayMs(from)) / DAY_MS);
}

/** The last day of a month (`month` from 1). */
export function lastDayOfMonth(year: number, month: number): CalendarDay {
  return formatDay(Date.UTC(year, month, 0));
}

/**
 * The moment at which the clocks of Santiago show this hour and minute of this day. Of an hour that happens twice, the
 * first; of a time that is skipped, the moment at which it is skipped (midnight of 2026-09-06 is 01:00 of that day).
 */
export function santiagoMoment(day: CalendarDay, hour = 0, minute = 0): Date {
  const wall = dayMs(day) + (hour * 60 + minute) * MINUTE_MS;
  // The offset before and after any change close by: the earlier moment that shows the wanted time is the right one.
  const before = wall - offsetMs(new Date(wall - DAY_MS));
  const after = wall - offsetMs(new Date(wall + DAY_MS));
  const candidates = [before, after].sort((a, b) => a - b);
  const exact = candidates.find((candidate) => wallTimeMs(new Date(candidate)) === wall);
  return new Date(exact ?? firstMomentPast(wall, Math.min(before, after)));
}

/** A skipped wall time: the first moment, to the minute, at which the clocks show something later. */
function firstMomentPast(wall: number, from: number): number {
  let moment = from - 2 * 60 * MINUTE_MS;
  while (wallTimeMs(new Date(moment)) < wall) moment += MINUTE_MS;
  return moment;
}

/** How far the clocks of Santiago are ahead of UTC (negative: behind). */
function offsetMs(moment: Date): number {
  return wallTimeMs(moment) - Math.floor(moment.getTime() / 1_000) * 1_000;
}

/** Clocks are changed on the quarter of an hour, anywhere and at any time. */
const QUARTER_MS = 15 * MINUTE_MS;
/** How far the clocks were ahead in the quarter that was last asked for: to find that out takes longer than all the rest. */
let latest = { quarter: Number.NaN, aheadMs: 0 };

/** What the clocks of Santiago show, to the second, as if it were UTC. */
function wallTimeMs(moment: Date): number {
  const ms = Math.floor(moment.getTime() / 1_000) * 1_000;
  const quarter = Math.floor(ms / QUARTER_MS);
  if (quarter !== latest.quarter) latest = { quarter, aheadMs: readWallTimeMs(moment) - ms };
  return ms + latest.aheadMs;
}

function readWallTimeMs(moment: Date): number {
  const parts = new Map(wallClock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

function dayMs(day: CalendarDay): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  const ms = match === null ? Number.NaN : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  if (Number.isNaN(ms) || formatDay(ms) !== day) throw new NotACalendarDay("not a calendar day (YYYY-MM-DD)");
  return ms;
}

function formatDay(ms: number): CalendarDay {
  return new Date(ms).toISOString().slice(0, 10);
}
