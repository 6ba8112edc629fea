import type { Locale } from "../contract/widget-tokens.ts";
import type { CalendarDay } from "./santiago-time.ts";

const formats: Readonly<Record<Locale, Intl.DateTimeFormat>> = {
  "es-CL": new Intl.DateTimeFormat("es-CL", { dateStyle: "long", timeZone: "UTC" }),
  en: new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }),
};

/** `2027-01-05` → `5 de enero de 2027`, in English `5 January 2027` */
export function dayInWords(day: CalendarDay, locale: Locale): string {
  return formats[locale].format(new Date(`${day}T00:00:00Z`));
}
