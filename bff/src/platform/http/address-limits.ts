import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "./api-error.ts";
import { networkOf } from "./network.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/**
 * Limits by a caller's address, kept in each process by itself: they stop guessing and floods of calls
 * before anything is looked up, which a count in the shared database could not. They are generous, because a
 * whole clinic shares an address. Calls with a secret are not counted. What must hold exactly is limited per order, token
 * and RUT, in the database.
 */
export interface AddressLimits {
  /** Throws 429 when too many credentials from this address were wrong. */
  refuseGuessers(address: string): Promise<void>;
  countGuess(address: string): Promise<void>;
  /** Counts a call that anybody may make; throws 429 when there were too many. */
  countPublicCall(address: string): Promise<void>;
}

export interface AddressLimitOptions {
  /** Wrong credentials from one address in a minute. */
  readonly guessesPerMinute: number;
  /** Calls without a secret from one address in a minute. */
  readonly publicCallsPerMinute: number;
}

export const GENEROUS_LIMITS: AddressLimitOptions = { guessesPerMinute: 300, publicCallsPerMinute: 6_000 };

const WINDOW_SECONDS = 60;

export function createAddressLimits({ guessesPerMinute, publicCallsPerMinute }: AddressLimitOptions): AddressLimits {
  const guesses = new RateLimiterMemory({ points: guessesPerMinute, duration: WINDOW_SECONDS });
  const calls = new RateLimiterMemory({ points: publicCallsPerMinute, duration: WINDOW_SECONDS });
  // Nothing is looked up as long as nobody at all has guessed.
  let hasGuesses = false;
  return {
    async refuseGuessers(address) {
      if (!hasGuesses) return;
      const counted = await guesses.get(networkOf(address));
      if (counted !== null && counted.consumedPoints > guessesPerMinute) throw refusal(counted, guessesPerMinute);
    },
    async countGuess(address) {
      hasGuesses = true;
      await guesses.penalty(networkOf(address));
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
