import type { BrowserEngine } from "../metrics.ts";

/** The engine of a browser by its `User-Agent`. Blink says that it is WebKit, and every browser of an iPhone is WebKit. */
export function browserEngineOf(userAgent: string | undefined): BrowserEngine {
  if (userAgent === undefined) return "other";
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return "webkit";
  if (/\bChrom(?:e|ium)\//.test(userAgent)) return "blink";
  if (/\bAppleWebKit\//.test(userAgent)) return "webkit";
  return /\bGecko\/\d/.test(userAgent) ? "gecko" : "other";
}
