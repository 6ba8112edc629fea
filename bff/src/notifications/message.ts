import type { Phone } from "../contract/vocabulary/phone.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { messageGoes, type NotificationKind } from "./notification.ts";

/** A telephone must not ring at night for what can wait until the morning. Hours of the day in America/Santiago. */
const FIRST_HOUR = 8;
const LAST_HOUR = 21;

/** A Chilean mobile, or a number abroad, of which nobody knows; landlines take no messages. */
export function takesMessages(phone: Phone): boolean {
  return !phone.startsWith("+56") || phone.startsWith("+569");
}

/** When a message may go out: at once by day, and at night only where its kind says so. */
export function messageHour(kind: NotificationKind, at: Date): Date {
  if (messageGoes(kind) === "at_once") return at;
  const day = santiagoDay(at);
  const morning = santiagoMoment(day, FIRST_HOUR);
  if (at < morning) return morning;
  return at < santiagoMoment(day, LAST_HOUR) ? at : santiagoMoment(addCalendarDays(day, 1), FIRST_HOUR);
}
