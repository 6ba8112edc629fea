import type { Phone } from "../contract/vocabulary/phone.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { messageGoes, type NotificationKind } from "./notification.ts";

/** Messages that are not urgent are sent between these hours, in America/Santiago. */
const FIRST_HOUR = 8;
const LAST_HOUR = 21;

/** Whether a number may accept messages: Chilean mobiles and all numbers abroad, but not Chilean landlines. */
export function takesMessages(phone: Phone): boolean {
  return !phone.startsWith("+56") || phone.startsWith("+569");
}

/** When a message may be sent: now, or in the morning if it is night and its kind is not urgent. */
export function messageHour(kind: NotificationKind, at: Date): Date {
  if (messageGoes(kind) === "at_once") return at;
  const day = santiagoDay(at);
  const morning = santiagoMoment(day, FIRST_HOUR);
  if (at < morning) return morning;
  return at < santiagoMoment(day, LAST_HOUR) ? at : santiagoMoment(addCalendarDays(day, 1), FIRST_HOUR);
}
