import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "./api-error.ts";
import { networkOf } from "./network.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/**
 * Limits per caller address, counted in each process separately. They stop guessing, and floods of calls before the
 * database is asked, so they cannot be counted in the database. They are generous, because a whole clinic may share one
 * address. Calls with a secret are not counted. Limits that must be exact are counted in the database, per order, token
 * and RUT.
 */
export interface AddressLimits {
  /**
   * Counts a wrong credential; returns the 429 to answer it with when too many came from this address. A right one is
   * never refused because of them: whoever shares a clinic's address could otherwise stop the clinic.
   */
  countGuess(address: string): Promise<ApiError | null>;
  /** Counts a call that needs no secret; throws 429 when there were too many. */
  countPublicCall(address: string): Promise<void>;
}

export interface AddressLimitOptions {
  /** Wrong credentials per minute and address. */
  readonly guessesPerMinute: number;
  /** Calls without a secret per minute and address. */
  readonly publicCallsPerMinute: number;
}

export const GENEROUS_LIMITS: AddressLimitOptions = { guessesPerMinute: 300, publicCallsPerMinute: 6_000 };

const WINDOW_SECONDS = 60;

export function createAddressLimits({ guessesPerMinute, publicCallsPerMinute }: AddressLimitOptions): AddressLimits {
  const guesses = new RateLimiterMemory({ points: guessesPerMinute, duration: WINDOW_SECONDS });
  const calls = new RateLimiterMemory({ points: publicCallsPerMinute, duration: WINDOW_SECONDS });
  return {
    async countGuess(address) {
      const counted = await guesses.penalty(networkOf(address));
      return counted.consumedPoints > guessesPerMinute ? refusal(counted, guessesPerMinute) : null;
    },
    async countPublicCall(address) {
      try {
        await calls.consume(networkOf(address));
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error, publicCallsPerMinute) : error;
      }
    },
  };
}

function refusal({ msBeforeNext }: RateLimiterRes, requestsMax: number): ApiError {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const headers = rateLimitHeaders({ limit: { requestsMax, windowSeconds: WINDOW_SECONDS }, left: 0, resetSeconds });
  return new ApiError("rate_limited", { retry_after_seconds: resetSeconds }, { headers });
}
