import { RECONCILED_DAYS_MAX } from "../../contract/reconciliation.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../../platform/santiago-time.ts";

/** How many days before the last comparison are compared again, to find lines that were listed late. */
const DAYS_BACK = 3;

export interface ComparedDays {
  /** The day of the run. It is not over, so it is compared tomorrow. */
  readonly today: CalendarDay;
  /** The first day for which at least one gateway's list was never compared. */
  readonly comparedUntil: CalendarDay;
  /** The days of open differences. */
  readonly differing: readonly CalendarDay[];
}

/**
 * The periods that a daily run compares, as [from, to). They cover everything since the last run with all lists, in
 * pieces short enough for one list. They also cover each earlier day of an open difference, which may have disappeared.
 */
export function daysToCompare({ today, comparedUntil, differing }: ComparedDays): { from: Date; to: Date }[] {
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
