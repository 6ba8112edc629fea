import { INQUIRY_DELAY_LAST_SECONDS, INQUIRY_DELAYS_SECONDS } from "../contract/terms.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";

/** When a call whose answer nobody knows is asked about, after so many inquiries that told nothing. */
export function inquiryDelayMs(inquiries: number): number {
  return (INQUIRY_DELAYS_SECONDS[inquiries] ?? INQUIRY_DELAY_LAST_SECONDS) * SECOND_MS;
}
