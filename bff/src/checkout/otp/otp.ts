import { RECOVERY_CODE_MINUTES, RECOVERY_CODE_TRIES } from "../../contract/onboarding.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The rules of a code that is sent to a patient's address and typed in, whatever it opens: for how
 * long, how often, how many tries.
 */

/** Between two codes for one RUT, whoever asks. */
export const RESEND_PAUSE_MS = MINUTE_MS;
/** Codes for one RUT: with five tries each they leave a guesser one chance in twenty thousand a day. */
export const CODES_PER_HOUR = 5;
export const CODES_PER_DAY = 10;
/** For so long what was sent before counts. */
export const COUNTED_MS = DAY_MS;

export function codeExpiry(now: Date): Date {
  return new Date(now.getTime() + RECOVERY_CODE_MINUTES * MINUTE_MS);
}

/** When the next code for a RUT may be sent, given when codes were sent in the last day; `null`: now. */
export function nextCodeAt(sent: readonly Date[], now: Date): Date | null {
  const times = sent.map((at) => at.getTime()).sort((a, b) => b - a);
  const waits = [
    (times[0] ?? Number.NEGATIVE_INFINITY) + RESEND_PAUSE_MS,
    (times[CODES_PER_HOUR - 1] ?? Number.NEGATIVE_INFINITY) + HOUR_MS,
    (times[CODES_PER_DAY - 1] ?? Number.NEGATIVE_INFINITY) + DAY_MS,
  ];
  const next = Math.max(...waits);
  return next > now.getTime() ? new Date(next) : null;
}

/** May a code still be tried? It is over with its time, and with its fifth wrong try. */
export function isOpenToTries(code: { readonly expiresAt: Date; readonly tries: number }, now: Date): boolean {
  return now < code.expiresAt && code.tries < RECOVERY_CODE_TRIES;
}
