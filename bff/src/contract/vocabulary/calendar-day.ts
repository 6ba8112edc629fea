import * as z from "zod/mini";

/** `YYYY-MM-DD`, a calendar day in America/Santiago. */
export const calendarDaySchema = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));
