import { DAY_MS, MINUTE_MS } from "../contract/vocabulary/durations.ts";

/**
 * Calendar days and times of day in America/Santiago, by which due dates are counted. Twice a year a day there does not
 * have 24 hours, and one day in September has no midnight.
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

/** Thrown when a text is not a calendar day. */
export class NotACalendarDay extends Error {
  override readonly name = "NotACalendarDay";
}

/** The calendar day in Santiago at a moment. */
export function santiagoDay(moment: Date): CalendarDay {
  return formatDay(wallTimeMs(moment));
}

/** The time of day in Santiago at a moment, as `HH:MM`. */
export function santiagoTime(moment: Date): string {
  return new Date(wallTimeMs(moment)).toISOString().slice("YYYY-MM-DDT".length, "YYYY-MM-DDTHH:MM".length);
}

/** A moment as the time in Santiago with its offset, in ISO 8601: `2026-12-31T23:20:00-03:00`. */
export function santiagoTimestamp(moment: Date): string {
  const minutes = Math.abs(offsetMs(moment)) / MINUTE_MS;
  const digits = (amount: number) => String(Math.floor(amount)).padStart(2, "0");
  const wall = new Date(wallTimeMs(moment)).toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length);
  return `${wall}${offsetMs(moment) < 0 ? "-" : "+"}${digits(minutes / 60)}:${digits(minutes % 60)}`;
}

/** Adds so many calendar days, or subtracts them if negative. */
export function addCalendarDays(day: CalendarDay, days: number): CalendarDay {
  return formatDay(dayMs(day) + days * DAY_MS);
}

/** The calendar days between two days; negative if `to` is earlier. */
export function calendarDaysBetween(from: CalendarDay, to: CalendarDay): number {
  return Math.round((dayMs(to) - dayMs(from)) / DAY_MS);
}

/** The months begun from one day to a later one: 1 up to the same day of the next month. */
export function monthsBegun(from: CalendarDay, to: CalendarDay): number {
  const [fromYear = 0, fromMonth = 0, fromDay = 0] = from.split("-").map(Number);
  const [toYear = 0, toMonth = 0, toDay = 0] = to.split("-").map(Number);
  return (toYear - fromYear) * 12 + toMonth - fromMonth + (toDay > fromDay ? 1 : 0);
}

/** The last day of a month (`month` from 1). */
export function lastDayOfMonth(year: number, month: number): CalendarDay {
  return formatDay(Date.UTC(year, month, 0));
}

/**
 * The moment when clocks in Santiago show this hour and minute of this day. If the time occurs twice, the first one; if
 * it is skipped, the moment of the change (midnight of 2026-09-06 is 01:00 of that day).
 */
export function santiagoMoment(day: CalendarDay, hour = 0, minute = 0): Date {
  const wall = dayMs(day) + (hour * 60 + minute) * MINUTE_MS;
  // Tries the offsets before and after a nearby change. The earlier moment that shows the requested time is the right
  // one.
  const before = wall - offsetMs(new Date(wall - DAY_MS));
  const after = wall - offsetMs(new Date(wall + DAY_MS));
  const candidates = [before, after].sort((a, b) => a - b);
  const exact = candidates.find((candidate) => wallTimeMs(new Date(candidate)) === wall);
  return new Date(exact ?? firstMomentPast(wall, Math.min(before, after)));
}

/** For a skipped time of day: the first minute at which clocks show a later time. */
function firstMomentPast(wall: number, from: number): number {
  let moment = from - 2 * 60 * MINUTE_MS;
  while (wallTimeMs(new Date(moment)) < wall) moment += MINUTE_MS;
  return moment;
}

/** Santiago's offset from UTC; negative if it is behind. */
function offsetMs(moment: Date): number {
  return wallTimeMs(moment) - Math.floor(moment.getTime() / 1_000) * 1_000;
}

/** Every time zone changes its clocks at a quarter of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
/**
 * Santiago's offset by quarter of an hour. Cached, because finding it takes longer than everything else here, and the
 * beginning of a day alone needs three of them.
 */
const aheadMs = new Map<number, number>();
const QUARTERS_KEPT_MAX = 10_000;

/** Santiago's time of day, to the second, expressed as if it were UTC. */
function wallTimeMs(moment: Date): number {
  const ms = Math.floor(moment.getTime() / 1_000) * 1_000;
  const quarter = Math.floor(ms / QUARTER_MS);
  const known = aheadMs.get(quarter);
  if (known !== undefined) return ms + known;
  const wall = readWallTimeMs(moment);
  if (aheadMs.size >= QUARTERS_KEPT_MAX) aheadMs.clear();
  aheadMs.set(quarter, wall - ms);
  return wall;
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
