/** `12345` → `$12.345`. Formatted without `Intl`, so that the server and every browser produce the same characters. */
export function formatPesos(amount: number): string {
  const digits = String(Math.abs(amount)).replace(/\B(?=(\d{3})+$)/g, ".");
  return `${amount < 0 ? "-" : ""}$${digits}`;
}

/** `12.5` → `12,5 %`; with a decimal point in English. */
export function formatPercentage(percentage: number, decimalMark: "," | "."): string {
  return `${String(percentage).replace(".", decimalMark)}%`;
}

/** The parts of a calendar day (`YYYY-MM-DD`); the month counts from 0. */
export function partsOfDay(day: string): { readonly year: string; readonly month: number; readonly day: number } {
  return { year: day.slice(0, 4), month: Number(day.slice(5, 7)) - 1, day: Number(day.slice(8, 10)) };
}

/** The calendar day that many days after another. */
export function dayAfter(day: string, days: number): string {
  const parts = partsOfDay(day);
  return new Date(Date.UTC(Number(parts.year), parts.month, parts.day + days)).toISOString().slice(0, 10);
}

/** The first full minute at or after a moment, in Chile: `14:36`. */
export function minuteOf(moment: string): string {
  return partsOfMoment(new Date(Math.ceil(Date.parse(moment) / 60_000) * 60_000).toISOString()).time;
}

/** The calendar day and time of day of a moment, in Chile. */
export function partsOfMoment(moment: string): { readonly day: string; readonly time: string } {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: "America/Santiago",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(moment));
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return { day: `${part("year")}-${part("month")}-${part("day")}`, time: `${part("hour")}:${part("minute")}` };
}

/** Keeps a number on the same line as the following word: `5 de enero`. */
export function keepDates(text: string): string {
  return text.replace(/\d (de )?(?=\p{L})/gu, (part) => part.replaceAll(" ", "\u00a0"));
}
