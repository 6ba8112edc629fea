import type { CalendarDay } from "../platform/santiago-time.ts";

const dayFormat = new Intl.DateTimeFormat("es-CL", { dateStyle: "long", timeZone: "UTC" });

/** `2027-01-05` → `5 de enero de 2027` */
export function dayInWords(day: CalendarDay): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`));
}
