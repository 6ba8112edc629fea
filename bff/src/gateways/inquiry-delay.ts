import {
  INQUIRY_DELAY_LAST_SECONDS,
  INQUIRY_DELAYS_SECONDS,
  TAKEN_DELAY_LAST_SECONDS,
  TAKEN_DELAYS_SECONDS,
} from "../contract/terms.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";

/**
 * The delay in milliseconds before the next inquiry about a call, after so many inquiries without an answer. `run-call.ts`
 * waits for it; the seconds are terms.
 */
export function inquiryDelayMs(inquiries: number): number {
  return (INQUIRY_DELAYS_SECONDS[inquiries] ?? INQUIRY_DELAY_LAST_SECONDS) * SECOND_MS;
}

/** The delay in milliseconds before the next inquiry about a call that the gateway has taken and not ended. */
export function takenDelayMs(inquiries: number): number {
  return (TAKEN_DELAYS_SECONDS[inquiries] ?? TAKEN_DELAY_LAST_SECONDS) * SECOND_MS;
}
