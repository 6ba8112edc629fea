import { SECOND_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../platform/http/guarded-fetch.ts";

/** The clinics' logos, for their documents. */
export interface Logos {
  /** A PNG or JPEG; null if none is available now. Documents then show only the clinic's name. */
  read(url: string): Promise<Uint8Array | null>;
}

const LOGO_BYTES_MAX = 262_144;
const LOGO_TIMEOUT_MS = 3 * SECOND_MS;
const KEPT_MS = 3_600 * SECOND_MS;
const KEPT_MAX = 100;

/** Fetches logos from their URLs and caches each result for an hour, failures included. */
export function createLogos({
  guardedFetch,
  clock,
}: {
  readonly guardedFetch: Pick<GuardedFetch, "fetch">;
  readonly clock: Clock;
}): Logos {
  const kept = new Map<string, { readonly logo: Promise<Uint8Array | null>; readonly until: number }>();
  return {
    read(url) {
      const now = clock.now().getTime();
      const known = kept.get(url);
      if (known !== undefined && known.until > now) return known.logo;
      if (kept.size >= KEPT_MAX) kept.clear();
      const logo = fetchLogo(guardedFetch, url);
      kept.set(url, { logo, until: now + KEPT_MS });
      return logo;
    },
  };
}

async function fetchLogo(guardedFetch: Pick<GuardedFetch, "fetch">, url: string): Promise<Uint8Array | null> {
  try {
    const { status, body } = await guardedFetch.fetch({
      url,
      timeoutMs: LOGO_TIMEOUT_MS,
      redirectsMax: 3,
      answerBytesMax: LOGO_BYTES_MAX,
      longerAnswer: "refuse",
    });
    return status === 200 && isPicture(body) ? body : null;
  } catch (error) {
    if (error instanceof FetchFailed || error instanceof UrlRefused) return null;
    throw error;
  }
}

const SIGNATURES = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
];

/** Whether the file starts like a PNG or JPEG, the formats that a document can show. */
function isPicture(body: Uint8Array): boolean {
  return SIGNATURES.some((signature) => signature.every((byte, at) => body[at] === byte));
}
