import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import {
  PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED,
  PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX,
} from "../../contract/terms.ts";
import { gather } from "../gather.ts";
import { ApiError } from "./api-error.ts";
import type { FailedAuthentications } from "./failed-authentications.ts";
import { networkOf } from "./network.ts";
import { type RateLimit, type RateLimiter, type RequestLimit, rateLimitHeaders } from "./rate-limit.ts";

/**
 * Limits per caller address. Guesses of credentials are counted in the database, so that all processes share them. Other
 * calls without a secret are counted in each process: that stops floods before the database is asked, and adds no statement
 * to a request that is let in. All are generous, because a whole clinic may share one address. Calls with a secret are not
 * counted. Limits that must be exact are counted in the database, per order, token and RUT.
 */
export interface AddressLimits {
  /**
   * Counts a wrong credential; returns the 429 to answer it with when too many came from this address. A right one is
   * never refused because of them: whoever shares a clinic's address could otherwise stop the clinic.
   */
  countGuess(address: string): Promise<ApiError | null>;
  /** Counts a request without a readable credential, which guesses nothing and needs no database. */
  countNoCredential(address: string): Promise<ApiError | null>;
  /** Counts a call that needs no secret; throws 429 when there were too many. */
  countPublicCall(address: string): Promise<void>;
  /**
   * What a call whose answer shows whether a RUT is registered counts against: its network, over all public keys and endpoints,
   * and its provider's day, which only alerts.
   */
  patientLookups(address: string): readonly RequestLimit[];
}

export interface AddressLimitOptions {
  /** Wrong credentials per minute and address. */
  readonly guessesPerMinute: number;
  /** Calls without a secret per minute and address. */
  readonly publicCallsPerMinute: number;
  /** Calls that show whether a RUT is registered, per ten minutes and address. */
  readonly patientLookupsPerTenMinutes?: number;
}

export const GENEROUS_LIMITS: AddressLimitOptions = { guessesPerMinute: 300, publicCallsPerMinute: 6_000 };

const LOOKUP_WINDOW_SECONDS = 600;
const DAY_SECONDS = 86_400;

const WINDOW_SECONDS = 60;

export interface AddressLimitDependencies {
  readonly failures: Pick<FailedAuthentications, "count">;
  readonly rateLimiter: Pick<RateLimiter, "takeEach">;
}

export function createAddressLimits(
  {
    guessesPerMinute,
    publicCallsPerMinute,
    patientLookupsPerTenMinutes = PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX,
  }: AddressLimitOptions,
  { failures, rateLimiter }: AddressLimitDependencies,
): AddressLimits {
  const guesses = createSharedLimit(rateLimiter, {
    name: "guesses.network",
    requestsMax: guessesPerMinute,
    windowSeconds: WINDOW_SECONDS,
  });
  const calls = new RateLimiterMemory({ points: publicCallsPerMinute, duration: WINDOW_SECONDS });
  return {
    async countGuess(address) {
      failures.count(address);
      return guesses.count(networkOf(address));
    },
    async countNoCredential(address) {
      failures.count(address);
      return guesses.countHere(networkOf(address));
    },
    async countPublicCall(address) {
      try {
        await calls.consume(networkOf(address));
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error, publicCallsPerMinute, WINDOW_SECONDS) : error;
      }
    },
    patientLookups: (address) => [
      {
        name: "patients.looked_up_too_often",
        key: networkOf(address),
        requestsMax: patientLookupsPerTenMinutes,
        windowSeconds: LOOKUP_WINDOW_SECONDS,
        isLogged: true,
      },
      {
        name: "patients.looked_up_unusually_often",
        key: "",
        isPerProvider: true,
        requestsMax: PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED,
        windowSeconds: DAY_SECONDS,
        isLogged: true,
        isOnlyWatched: true,
      },
    ],
  };
}

/** A limit over all processes. Each returns the 429 for a request beyond it. */
interface SharedLimit {
  count(key: string): Promise<ApiError | null>;
  /** Counts in this process alone. */
  countHere(key: string): Promise<ApiError | null>;
}

/** As many as share a statement when they come at once. */
const GUESSES_OF_STATEMENT_MAX = 100;

/** What this process has counted past the limit, or was told is past it, it refuses without the database. */
function createSharedLimit(rateLimiter: Pick<RateLimiter, "takeEach">, limit: Omit<RateLimit, "key">): SharedLimit {
  const { requestsMax, windowSeconds } = limit;
  const take = gather({
    underWayMax: 1,
    itemsMax: GUESSES_OF_STATEMENT_MAX,
    run: (keys: readonly string[]) => rateLimiter.takeEach(keys.map((key) => ({ ...limit, key }))),
  });
  const here = new RateLimiterMemory({ points: requestsMax, duration: windowSeconds });
  const countHere = async (key: string) => {
    const counted = await here.penalty(key);
    return counted.consumedPoints > requestsMax ? refusal(counted, requestsMax, windowSeconds) : null;
  };
  return {
    countHere,
    async count(key) {
      const refusedHere = await countHere(key);
      if (refusedHere !== null) return refusedHere;
      const verdict = await take(key);
      if (verdict.refusal === null) return null;
      const retryAfterSeconds = verdict.resetSeconds;
      await here.set(key, requestsMax + 1, retryAfterSeconds);
      return new ApiError("rate_limited", { retry_after_seconds: retryAfterSeconds }, { headers: verdict.headers });
    },
  };
}

function refusal({ msBeforeNext }: RateLimiterRes, requestsMax: number, windowSeconds: number): ApiError {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const headers = rateLimitHeaders({ limit: { requestsMax, windowSeconds }, left: 0, resetSeconds });
  return new ApiError("rate_limited", { retry_after_seconds: resetSeconds }, { headers });
}
