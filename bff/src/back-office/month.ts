import { addCalendarDays, type CalendarDay, lastDayOfMonth, santiagoMoment } from "../platform/santiago-time.ts";

/** A month of the calendar in Santiago. */
export interface Month {
  readonly firstDay: CalendarDay;
  readonly lastDay: CalendarDay;
  /** The moments of the month: [from, to). */
  readonly from: Date;
  readonly to: Date;
}

/** `2026-11`; null if the text is not a month of this century. */
export function monthOf(text: string): Month | null {
  const [, year, month] = /^(20\d{2})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) return null;
  const firstDay = `${year}-${month}-01`;
  const lastDay = lastDayOfMonth(Number(year), Number(month));
  return { firstDay, lastDay, from: santiagoMoment(firstDay), to: santiagoMoment(addCalendarDays(lastDay, 1)) };
}
