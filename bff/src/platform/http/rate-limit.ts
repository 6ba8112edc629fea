import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../database/transaction.ts";
import type { Keyring } from "../keyring.ts";
import type { AdmissionRow, RequestHit } from "./admission-store.ts";
import { type Counted, countHits } from "./admission-store.ts";
import { ApiError } from "./api-error.ts";

/** How many requests may be made about one subject (an order, a token, a RUT, an address) in a window. */
export interface RateLimit {
  /** The limit's name, such as `identity.order`. */
  readonly name: string;
  /** The counted subject. It may be a RUT, because it is hashed before it is stored. */
  readonly key: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
}

/** A limit that a request counts against. */
export interface RequestLimit extends RateLimit {
  /** Whether each provider's requests are counted separately. */
  readonly isPerProvider?: boolean;
  /** Whether the first request beyond it is logged, with the limit's name as the event. */
  readonly isLogged?: boolean;
  /** Whether requests beyond the limit are admitted anyway. */
  readonly isOnlyWatched?: boolean;
}

export interface RateLimitVerdict {
  /** The `RateLimit-*` headers of the limit that is nearest to being exceeded, for every answer to the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error to throw if a limit is exceeded: 429 `rate_limited` with `retry_after_seconds`. */
  readonly refusal: ApiError | null;
}

export interface AdmissionVerdict extends RateLimitVerdict {
  /** The logged limits that this request is the first to exceed. */
  readonly justExceeded: readonly RequestLimit[];
}

export interface RateLimiter {
  /**
   * Counts one request against each limit and returns the verdict. Refused requests count too. Windows are in real
   * time, also for a provider with its own clock. With `within`, the request counts only if that transaction commits:
   * use it to limit successes instead of attempts.
   */
  take(limits: readonly RateLimit[], within?: Transaction): Promise<RateLimitVerdict>;
  /** Prepares the count, which the admission statement then performs. */
  begin(limits: readonly RequestLimit[], now: Date): BegunCount;
}

/** The hits for the statement to count, and the function that judges the resulting counts. */
export interface BegunCount {
  readonly hits: readonly RequestHit[];
  judge(counted: AdmissionRow["counted"]): AdmissionVerdict;
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
          // The statement treats a watched limit as never exceeded, because it would otherwise deny the request its
          // slot.
          requestsMax: limit.isOnlyWatched === true ? COUNT_MAX : limit.requestsMax,
        })),
        judge(counts) {
          const limitStates = counted.flatMap((limit, place) => {
            const count = counts?.[place];
            if (count === undefined) return [];
            return [
              { ...limitStateOf(limit, { points: count.points, windowEndsAt: new Date(count.until) }, now), limit },
            ];
          });
          return {
            ...judge(limitStates.filter(({ limit }) => limit.isOnlyWatched !== true)),
            justExceeded: limitStates.flatMap(({ limit, left }) =>
              limit.isLogged === true && left === -1 ? [limit] : [],
            ),
          };
        },
      };
    },
    async take(limits, within) {
      if (limits.length === 0) return judge([]);
      const now = clock.now();
      const byKey = new Map(limits.map((limit) => [storedKey(limit), limit]));
      const hits = [...byKey].map(([key, limit]) => ({ key, windowEndsAt: windowFrom(now, limit) }));
      const counts = await countHits(within ?? db, hits, now);
      return judge(
        [...byKey].flatMap(([key, limit]) => {
          const count = counts.get(key);
          return count === undefined ? [] : [limitStateOf(limit, count, now)];
        }),
      );
    },
  };
}

/** The greatest `int` of PostgreSQL. */
const COUNT_MAX = 2_147_483_647;

function windowFrom(now: Date, { windowSeconds }: RateLimit): Date {
  return new Date(now.getTime() + windowSeconds * 1000);
}

interface LimitState {
  limit: RateLimit;
  /** Requests left in the window; negative if the limit is exceeded. */
  left: number;
  resetSeconds: number;
}

function limitStateOf(limit: RateLimit, { points, windowEndsAt }: Counted, now: Date): LimitState {
  const resetSeconds = Math.max(1, Math.ceil((windowEndsAt.getTime() - now.getTime()) / 1000));
  return { limit, left: limit.requestsMax - points, resetSeconds };
}

/** Reports the exceeded limit that resets last; if none is exceeded, the limit with the fewest requests left. */
function judge(limitStates: readonly LimitState[]): RateLimitVerdict {
  const exceeded = limitStates.filter(({ left }) => left < 0).sort((a, b) => b.resetSeconds - a.resetSeconds);
  const [nearest] = [...exceeded, ...limitStates.toSorted((a, b) => a.left - b.left)];
  if (nearest === undefined) return { headers: {}, refusal: null };
  const { left, resetSeconds } = nearest;
  const headers = rateLimitHeaders(nearest);
  const refusal = left < 0 ? new ApiError("rate_limited", { retry_after_seconds: resetSeconds }) : null;
  return { headers, refusal };
}

/** The headers that report a limit in every answer. */
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
