import * as z from "zod";
import { originSchema } from "../contract/widget-tokens.ts";
import type { Environment } from "../platform/provider.ts";

/** Origins that one provider may register. */
const ORIGINS_MAX = 50;

/**
 * Pages that may frame the widget: `https://clinic.example`, or with `http:` on a developer's machine. Case does not
 * count, and neither does naming one twice or its default port.
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

/** Thrown when production is asked to let a page frame the widget that was not served over HTTPS. */
export class OriginNotSecure extends Error {
  override readonly name = "OriginNotSecure";
  readonly code = "origin_not_secure";
}

/** Throws `OriginNotSecure` where production is given an origin without HTTPS. */
export function requireSecure(origins: readonly string[], environment: Environment): void {
  const insecure = origins.find((origin) => environment === "production" && !origin.startsWith("https://"));
  if (insecure !== undefined) throw new OriginNotSecure(`In production an origin must be https: ${insecure}`);
}
