import {
  INQUIRY_DELAY_LAST_SECONDS,
  INQUIRY_DELAYS_SECONDS,
  TAKEN_DELAY_LAST_SECONDS,
  TAKEN_DELAYS_SECONDS,
} from "../contract/terms.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";

/**
 * When a call is inquired about next, in the time of `now`: after so many inquiries without an answer, or without an end if
 * the gateway has taken it. The seconds are terms.
 */
export function inquiryAt(now: Date, { inquiries = 0, isTaken = false } = {}): Date {
  const seconds = isTaken
    ? (TAKEN_DELAYS_SECONDS[inquiries] ?? TAKEN_DELAY_LAST_SECONDS)
    : (INQUIRY_DELAYS_SECONDS[inquiries] ?? INQUIRY_DELAY_LAST_SECONDS);
  return new Date(now.getTime() + seconds * SECOND_MS);
}
