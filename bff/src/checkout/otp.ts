import {
  CODE_LIFETIME_MINUTES,
  CODE_RESEND_PAUSE_SECONDS,
  CODE_TRIES_MAX,
  CODES_PER_DAY_MAX,
  CODES_PER_HOUR_MAX,
} from "../contract/terms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../contract/vocabulary/durations.ts";

/**
 * The rules for one-time codes sent to a patient's address: validity, pause between codes, and number of attempts. They
 * are the same for every purpose.
 */

/** The pause between two codes for one RUT, from any visit. */
export const RESEND_PAUSE_MS = CODE_RESEND_PAUSE_SECONDS * SECOND_MS;
/** How long a sent code counts towards the limits. */
export const COUNTED_MS = DAY_MS;

export function codeExpiry(now: Date): Date {
  return new Date(now.getTime() + CODE_LIFETIME_MINUTES * MINUTE_MS);
}

/**
 * When the next code for a RUT may be sent, given the codes of the last day; null means now. After an answered code
 * (`isAnswered`) no pause is needed, because it did arrive.
 */
export function nextCodeAt(sent: readonly Date[], now: Date, isAnswered = false): Date | null {
  const times = sent.map((at) => at.getTime()).sort((a, b) => b - a);
  const waits = [
    (isAnswered ? Number.NEGATIVE_INFINITY : (times[0] ?? Number.NEGATIVE_INFINITY)) + RESEND_PAUSE_MS,
    (times[CODES_PER_HOUR_MAX - 1] ?? Number.NEGATIVE_INFINITY) + HOUR_MS,
    (times[CODES_PER_DAY_MAX - 1] ?? Number.NEGATIVE_INFINITY) + DAY_MS,
  ];
  const next = Math.max(...waits);
  return next > now.getTime() ? new Date(next) : null;
}

/** True if a code accepts attempts. It ends when it expires or after the fifth wrong attempt. */
export function isOpenToTries(code: { readonly expiresAt: Date; readonly tries: number }, now: Date): boolean {
  return now < code.expiresAt && code.tries < CODE_TRIES_MAX;
}
