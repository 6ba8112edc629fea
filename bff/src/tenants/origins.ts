import * as z from "zod";
import { originSchema, returnUrlSchema } from "../contract/widget-tokens.ts";
import type { Environment } from "../platform/provider.ts";

/** The maximum number of origins per provider: the 50 that a sandbox tenant may be given, and its local ones. */
const ORIGINS_MAX = 64;

/**
 * Origins of pages that may frame the widget: `https://clinic.example`, or with `http:` on a developer's machine.
 * Letter case, duplicates and an explicit default port are normalised.
 */
export const originsSchema = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .pipe(originSchema)
      .refine((text) => URL.canParse(text), "must be an origin")
      .transform((text) => new URL(text).origin),
  )
  .transform((origins) => [...new Set(origins)])
  .pipe(z.array(z.string()).max(ORIGINS_MAX));

/** Thrown when an origin or a return URL without HTTPS is registered in production. */
export class OriginNotSecure extends Error {
  override readonly name = "OriginNotSecure";
  readonly code = "origin_not_secure";
}

/** Throws `OriginNotSecure` for an origin or a return URL without HTTPS in production. */
export function requireSecure(addresses: readonly string[], environment: Environment): void {
  const insecure = addresses.find((address) => environment === "production" && address.startsWith("http:"));
  if (insecure !== undefined) throw new OriginNotSecure(`In production it must be https: ${insecure}`);
}

/** The maximum number of return URLs that one provider may register. */
const RETURN_URLS_MAX = 20;

/** Return URLs of a page or an app, in the form in which `normalReturnUrl` compares them. */
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
 * The normal form of a return URL. URLs are compared whole: an addition by a minter, such as a query, could otherwise
 * make the registered page redirect the patient to a stranger's.
 */
export function normalReturnUrl(text: string): string {
  return new URL(text).href;
}
