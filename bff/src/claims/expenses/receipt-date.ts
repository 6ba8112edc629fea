import { type CalendarDay, santiagoDay } from "../../platform/santiago-time.ts";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;
/** Day, month and year, as they are written in Chile: `21/11/2026`, `1-5-2026`, `21.11.26`. */
const CHILEAN = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** The day that a receipt names, if it exists; a moment becomes its day in Santiago. `null` if it cannot be read. */
export function readReceiptDate(text: string): CalendarDay | null {
  const [, isoDay, time = "", offset] = ISO.exec(text) ?? [];
  const day = isoDay ?? chileanDay(text) ?? compactDay(text);
  if (day === null || !isDay(day)) return null;
  return offset === undefined ? day : dayOfMoment(day, time, offset);
}

function chileanDay(text: string): CalendarDay | null {
  const [, day, , month, year] = CHILEAN.exec(text) ?? [];
  if (day === undefined || month === undefined || year === undefined) return null;
  return `${year.padStart(4, "20")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function compactDay(text: string): CalendarDay | null {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

function isDay(day: CalendarDay): boolean {
  if (day < "1900-01-01") return false;
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

function dayOfMoment(day: CalendarDay, time: string, offset: string): CalendarDay | null {
  // Programs write a day without a time as midnight UTC; it stays that day instead of becoming the evening before.
  if (/^T[0:.]+$/.test(time) && /^(?:Z|\+00:?00)$/.test(offset)) return day;
  const moment = new Date(`${day}${time}${offset.replace(/^(...)(\d\d)$/, "$1:$2")}`);
  return Number.isNaN(moment.getTime()) ? null : santiagoDay(moment);
}
