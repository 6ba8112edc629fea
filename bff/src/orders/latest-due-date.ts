import { LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import { addCalendarDays, type CalendarDay, santiagoDay } from "../platform/santiago-time.ts";

/** The latest day on which the deferred part is collected if the order is paid at `paidAt`. */
export function latestDueDate(paidAt: Date): CalendarDay {
  return addCalendarDays(santiagoDay(paidAt), LATEST_COLLECTION_DAY);
}
