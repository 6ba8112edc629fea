import type { Request } from "express";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import type { BrowserEngine } from "../metrics.ts";

const LENGTH_MAX = 512;

/** The caller's `User-Agent`, cut to a maximum length, to record with which browser something was accepted. */
export function userAgentOf(request: Pick<Request, "headers">): string | null {
  const userAgent = request.headers["user-agent"]?.slice(0, LENGTH_MAX) ?? null;
  return userAgent && withoutCardNumber(userAgent);
}

/**
 * The engine of a browser by its `User-Agent`. Blink says that it is WebKit, and every browser of an iPhone is WebKit.
 */
export function browserEngineOf(userAgent: string | undefined): BrowserEngine {
  if (userAgent === undefined) return "other";
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return "webkit";
  if (/\bChrom(?:e|ium)\//.test(userAgent)) return "blink";
  if (/\bAppleWebKit\//.test(userAgent)) return "webkit";
  return /\bGecko\/\d/.test(userAgent) ? "gecko" : "other";
}
