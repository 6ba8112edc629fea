import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import {
  PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED,
  PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX,
} from "../../contract/terms.ts";
import { ApiError } from "./api-error.ts";
import type { FailedAuthentications } from "./failed-authentications.ts";
import { networkOf } from "./network.ts";
import { type RequestLimit, rateLimitHeaders } from "./rate-limit.ts";

/**
 * Limits per caller address, counted in each process, so that requests need no extra statement. All are generous,
 * because a whole clinic may share one address. Calls with a secret are not counted. Limits that must be exact are
 * counted in the database, per order, token and RUT.
 */
export interface AddressLimits {
  /**
   * Counts a wrong or missing credential. Returns the 429 to answer with if too many came from this address. They never
   * block a valid credential, because callers who share an address could otherwise block a clinic.
   */
  countGuess(address: string): Promise<ApiError | null>;
  /** Counts a call that needs no secret. Throws 429 after too many. */
  countPublicCall(address: string): Promise<void>;
  /**
   * The limits for a call whose answer reveals whether a RUT is registered. One limit is per network, over all public
   * keys and endpoints. The other is per provider and day, and only alerts. `address` is null for a call with a secret,
   * to which the first limit does not apply.
   */
  patientLookups(address: string | null): readonly RequestLimit[];
}

export interface AddressLimitOptions {
  /** Wrong credentials per minute and address. */
  readonly guessesPerMinute: number;
  /** Calls without a secret per minute and address. */
  readonly publicCallsPerMinute: number;
  /** Calls that reveal whether a RUT is registered, per ten minutes and address. */
  readonly patientLookupsPerTenMinutes?: number;
}

export const GENEROUS_LIMITS: AddressLimitOptions = { guessesPerMinute: 300, publicCallsPerMinute: 6_000 };

const LOOKUP_WINDOW_SECONDS = 600;
const DAY_SECONDS = 86_400;

const WINDOW_SECONDS = 60;

export function createAddressLimits(
  {
    guessesPerMinute,
    publicCallsPerMinute,
    patientLookupsPerTenMinutes = PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX,
  }: AddressLimitOptions,
  failures: Pick<FailedAuthentications, "count">,
): AddressLimits {
  const guesses = new RateLimiterMemory({ points: guessesPerMinute, duration: WINDOW_SECONDS });
  const calls = new RateLimiterMemory({ points: publicCallsPerMinute, duration: WINDOW_SECONDS });
  return {
    async countGuess(address) {
      failures.count(address);
      const counted = await guesses.penalty(networkOf(address));
      return counted.consumedPoints > guessesPerMinute ? refusal(counted, guessesPerMinute, WINDOW_SECONDS) : null;
    },
    async countPublicCall(address) {
      try {
        await calls.consume(networkOf(address));
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error, publicCallsPerMinute, WINDOW_SECONDS) : error;
      }
    },
    patientLookups: (address) => [
      ...(address === null
        ? []
        : [
            {
              name: "patients.looked_up_too_often",
              key: networkOf(address),
              requestsMax: patientLookupsPerTenMinutes,
              windowSeconds: LOOKUP_WINDOW_SECONDS,
              isLogged: true,
            },
          ]),
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

function refusal({ msBeforeNext }: RateLimiterRes, requestsMax: number, windowSeconds: number): ApiError {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const headers = rateLimitHeaders({ limit: { requestsMax, windowSeconds }, left: 0, resetSeconds });
  return new ApiError("rate_limited", { retry_after_seconds: resetSeconds }, { headers });
}
