import * as z from "zod/mini";

/** The maximum number of entries on a page of a list, and the default. */
export const PAGE_MAX = 100;

/** The number of entries on a page of a list, as text in a query. */
export const pageLimitSchema = z.optional(
  z.string().check(z.regex(/^([1-9]\d?|100)$/, "must be a number from 1 to 100")),
);
