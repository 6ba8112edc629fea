import { IDENTITY_REJECTIONS_PER_HOUR_MAX } from "../../contract/terms.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
export const IDENTITY_WINDOW_MS = HOUR_MS;

/** A question to the registry whose answer never came counts as a rejection for so long: it may still be under way. */
export const IDENTITY_ANSWER_WITHIN_MS = 60_000;

export interface IdentityTries {
  readonly left: number;
  /** When the next try is possible; `null` when one is now. */
  readonly nextAt: Date | null;
}

/** What is left, given the moments of the tries in the window that count. */
export function identityTries(counted: readonly Date[]): IdentityTries {
  const left = Math.max(0, IDENTITY_REJECTIONS_PER_HOUR_MAX - counted.length);
  if (left > 0) return { left, nextAt: null };
  // When the oldest of those that fill the window falls out of it, one try is free again.
  const sorted = counted.map((at) => at.getTime()).sort((a, b) => a - b);
  const oldest = sorted[sorted.length - IDENTITY_REJECTIONS_PER_HOUR_MAX] ?? 0;
  return { left, nextAt: new Date(oldest + IDENTITY_WINDOW_MS) };
}
