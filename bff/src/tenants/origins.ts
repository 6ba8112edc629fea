import * as z from "zod";
import { originSchema } from "../contract/widget-tokens.ts";
import type { Environment } from "../platform/provider.ts";

/** The most origins that one provider may register. */
const ORIGINS_MAX = 50;

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

/** Thrown when production is given an origin without HTTPS. */
export class OriginNotSecure extends Error {
  override readonly name = "OriginNotSecure";
  readonly code = "origin_not_secure";
}

/** Throws `OriginNotSecure` for an origin without HTTPS in production. */
export function requireSecure(origins: readonly string[], environment: Environment): void {
  const insecure = origins.find((origin) => environment === "production" && !origin.startsWith("https://"));
  if (insecure !== undefined) throw new OriginNotSecure(`In production an origin must be https: ${insecure}`);
}
