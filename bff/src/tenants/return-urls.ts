import * as z from "zod";
import { returnUrlSchema } from "../contract/widget-tokens.ts";

/** The most return URLs that one provider may register. */
const RETURN_URLS_MAX = 20;

/** Addresses that bring a patient back to a page or an app, in the form in which `normalReturnUrl` compares them. */
export const returnUrlsSchema = z
  .array(
    z
      .string()
      .trim()
      .pipe(returnUrlSchema)
      .refine((text) => URL.canParse(text), "must be an address")
      .transform(normalReturnUrl),
  )
  .transform((urls) => [...new Set(urls)])
  .pipe(z.array(z.string()).max(RETURN_URLS_MAX));

/**
 * The one form of a return URL. They are compared as wholes: nothing that a minter adds, a query for instance, could make
 * the registered page send the patient on to somebody else's.
 */
export function normalReturnUrl(text: string): string {
  return new URL(text).href;
}
