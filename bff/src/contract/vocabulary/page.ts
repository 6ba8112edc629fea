import * as z from "zod/mini";

/** The most entries of one page of a list, and how many it has unless the caller asks for fewer. */
export const PAGE_MAX = 100;

/** How many entries a page of a list has, as text in a query. */
export const pageLimitSchema = z.optional(
  z.string().check(z.regex(/^([1-9]\d?|100)$/, "must be a number from 1 to 100")),
);
