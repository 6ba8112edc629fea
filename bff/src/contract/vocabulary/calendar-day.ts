import * as z from "zod/mini";

/** `YYYY-MM-DD`, a calendar day in America/Santiago. */
export const calendarDaySchema = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

/**
 * The text is compared with the parsed day because 30 February is parsed as 2 March. Days of other centuries are
 * refused, because the database cannot read all of them.
 */
function isDay(text: string): boolean {
  const moment = new Date(`${text}T00:00:00Z`);
  return /^(?:19|20|21)/.test(text) && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

/** A day in a request, which must exist in the calendar. */
export const existingDaySchema = calendarDaySchema.check(z.refine(isDay, "must be a day of the calendar"));
