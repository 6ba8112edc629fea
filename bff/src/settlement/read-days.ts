import { ApiError } from "../platform/http/api-error.ts";
import { addCalendarDays, type CalendarDay, calendarDaysBetween, santiagoDay } from "../platform/santiago-time.ts";

export interface DaysAsked {
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * The range of days that a partner requests, both included. By default it ends today and starts `daysBefore` the last
 * day. Throws `validation_error` if the days are in the wrong order or too many.
 */
export function readDays(
  { now, ...requested }: DaysAsked,
  { daysBefore, daysMax }: { readonly daysBefore: number; readonly daysMax: number },
): { readonly from: CalendarDay; readonly to: CalendarDay } {
  const to = requested.to ?? santiagoDay(now);
  const from = requested.from ?? addCalendarDays(to, -daysBefore);
  const days = calendarDaysBetween(from, to) + 1;
  if (days < 1)
    throw new ApiError("validation_error", { errors: [{ path: "to", message: "must not be before from" }] });
  if (days > daysMax) {
    const message = `must be at most ${daysMax} days from from, both included`;
    throw new ApiError("validation_error", { errors: [{ path: "to", message }] });
  }
  return { from, to };
}
