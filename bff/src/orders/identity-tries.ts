import { IDENTITY_REJECTIONS_PER_HOUR_MAX } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
export const IDENTITY_WINDOW_MS = HOUR_MS;

/** How long an unanswered inquiry to the registry counts as a rejection, because it may still be in progress. */
export const IDENTITY_ANSWER_WITHIN_MS = 60_000;

export interface IdentityTries {
  readonly left: number;
  /** When the next attempt is possible; null if it is possible now. */
  readonly nextAt: Date | null;
}

/** How many attempts are left, given the times in the window that count. */
export function identityTries(counted: readonly Date[]): IdentityTries {
  const left = Math.max(0, IDENTITY_REJECTIONS_PER_HOUR_MAX - counted.length);
  if (left > 0) return { left, nextAt: null };
  // An attempt becomes available when the oldest of the last `IDENTITY_REJECTIONS_PER_HOUR_MAX` leaves the window.
  const sorted = counted.map((at) => at.getTime()).sort((a, b) => a - b);
  const oldest = sorted[sorted.length - IDENTITY_REJECTIONS_PER_HOUR_MAX] ?? 0;
  return { left, nextAt: new Date(oldest + IDENTITY_WINDOW_MS) };
}
