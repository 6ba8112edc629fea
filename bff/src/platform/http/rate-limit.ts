import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../database/transaction.ts";
import type { Keyring } from "../keyring.ts";
import type { AdmissionRow, RequestHit } from "./admission-store.ts";
import { ApiError } from "./api-error.ts";
import { type Counted, countHits } from "./rate-limit-store.ts";

/** How many requests may be made about one thing (an order, a token, a RUT, an address) in a window. */
export interface RateLimit {
  /** Names the limit: `identity.order`. */
  readonly name: string;
  /** What is counted. It is hashed before it is kept, so that it may be a RUT. */
  readonly key: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
}

/** What a request counts against. */
export interface RequestLimit extends RateLimit {
  /** Each provider's requests are counted by themselves. */
  readonly isPerProvider?: boolean;
}

export interface RateLimitVerdict {
  /** `RateLimit-*` of the limit that is nearest to its end, for every answer of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be thrown where a limit is exceeded: 429 `rate_limited` with `retry_after_seconds`. */
  readonly refusal: ApiError | null;
}

export interface RateLimiter {
  /**
   * Counts one request against each of the limits and says whether it may go on. A request that is refused counts too.
   * Real time decides, whatever a provider's own clock says. Counted within a transaction, it counts only if that is
   * committed: for what is limited by how often it was done, not by how often it was asked for.
   */
  take(limits: readonly RateLimit[], within?: Transaction): Promise<RateLimitVerdict>;
  /** What is counted of a request at a moment, by the statement that admits it. */
  begin(limits: readonly RequestLimit[], now: Date): BegunCount;
}

/** What the statement is to count, and what its counts mean. */
export interface BegunCount {
  readonly hits: readonly RequestHit[];
  judge(counted: AdmissionRow["counted"]): RateLimitVerdict;
}

/** A limiter whose counts are in the database, so that all processes share them. */
export function createRateLimiter({
  db,
  clock,
  keyring,
}: {
  db: Database;
  clock: Clock;
  keyring: Keyring;
}): RateLimiter {
  const storedKey = ({ name, key }: RateLimit) => `${name}:${keyring.hmac(`rate-limit.${name}`, key)}`;
  return {
    begin(limits, now) {
      const byKey = new Map(limits.map((limit) => [storedKey(limit), limit]));
      const counted = [...byKey.values()];
      return {
        hits: [...byKey].map(([key, limit]) => ({
          key,
          windowEndsAt: windowFrom(now, limit),
          isPerProvider: limit.isPerProvider === true,
          requestsMax: limit.requestsMax,
        })),
        judge: (counts) =>
          judge(
            counted.flatMap((limit, place) => {
              const count = counts?.[place];
              if (count === undefined) return [];
              return [standingOf(limit, { points: count.points, windowEndsAt: new Date(count.until) }, now)];
            }),
          ),
      };
    },
    async take(limits, within) {
      if (limits.length === 0) return { headers: {}, refusal: null };
      const now = clock.now();
      const byKey = new Map(limits.map((limit) => [storedKey(limit), limit]));
      const hits = [...byKey].map(([key, limit]) => ({ key, windowEndsAt: windowFrom(now, limit) }));
      const counts = await countHits(within ?? db, hits, now);
      return judge(
        [...byKey].flatMap(([key, limit]) => {
          const count = counts.get(key);
          return count === undefined ? [] : [standingOf(limit, count, now)];
        }),
      );
    },
  };
}

function windowFrom(now: Date, { windowSeconds }: RateLimit): Date {
  return new Date(now.getTime() + windowSeconds * 1000);
}

interface Standing {
  limit: RateLimit;
  /** Requests that the window still has; negative where one too many was made. */
  left: number;
  resetSeconds: number;
}

function standingOf(limit: RateLimit, { points, windowEndsAt }: Counted, now: Date): Standing {
  const resetSeconds = Math.max(1, Math.ceil((windowEndsAt.getTime() - now.getTime()) / 1000));
  return { limit, left: limit.requestsMax - points, resetSeconds };
}

/** Tells of the exceeded limit that takes longest, or else of the one with the least left. */
function judge(standings: readonly Standing[]): RateLimitVerdict {
  const exceeded = standings.filter(({ left }) => left < 0).sort((a, b) => b.resetSeconds - a.resetSeconds);
  const [nearest] = [...exceeded, ...standings.toSorted((a, b) => a.left - b.left)];
  if (nearest === undefined) return { headers: {}, refusal: null };
  const { left, resetSeconds } = nearest;
  const headers = rateLimitHeaders(nearest);
  return { headers, refusal: left < 0 ? new ApiError("rate_limited", { retry_after_seconds: resetSeconds }) : null };
}

/** What every answer says of the limit that it counts against. */
export function rateLimitHeaders({
  limit: { requestsMax, windowSeconds },
  left,
  resetSeconds,
}: {
  readonly limit: Pick<RateLimit, "requestsMax" | "windowSeconds">;
  readonly left: number;
  readonly resetSeconds: number;
}): Record<string, string> {
  return {
    "RateLimit-Limit": String(requestsMax),
    "RateLimit-Remaining": String(Math.max(0, left)),
    "RateLimit-Reset": String(resetSeconds),
    "RateLimit-Policy": `${requestsMax};w=${windowSeconds}`,
  };
}
