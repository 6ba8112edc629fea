import { RECONCILED_DAYS_MAX } from "../../contract/reconciliation.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../../platform/santiago-time.ts";

/** Days before those that were never compared; a line that came late is found all the same. */
const DAYS_BACK = 3;

export interface Standing {
  /** The day of the run, which is not over: it is compared tomorrow. */
  readonly today: CalendarDay;
  /** The first day that some party's list was never compared for. */
  readonly comparedUntil: CalendarDay;
  /** The days of differences that are still there. */
  readonly differing: readonly CalendarDay[];
}

/**
 * What a daily run compares, as [from, to): everything since the last run that had every list, however long ago that was, in
 * pieces that a party can list; before it, each day of a difference that may be gone by now.
 */
export function daysToCompare({ today, comparedUntil, differing }: Standing): { from: Date; to: Date }[] {
  const first = addCalendarDays(comparedUntil < today ? comparedUntil : today, -DAYS_BACK);
  const older = [...new Set(differing)].filter((day) => day < first).toSorted();
  const pieces = older.map((day) => between(day, addCalendarDays(day, 1)));
  for (let from = first; from < today; ) {
    const end = addCalendarDays(from, RECONCILED_DAYS_MAX);
    const to = end < today ? end : today;
    pieces.push(between(from, to));
    from = to;
  }
  return pieces;
}

function between(from: CalendarDay, to: CalendarDay): { from: Date; to: Date } {
  return { from: santiagoMoment(from), to: santiagoMoment(to) };
}
