import { useEffect, useEffectEvent, useState } from "react";
import type { SessionClock } from "./session-clock.ts";

/** A browser timer lasts at most 24 days, but a token may last 30. */
const LONGEST_PAUSE_MS = 3_600_000;
/** In the last minutes, the count is accurate to a quarter of a minute. */
const WARNING_PAUSE_MS = 15_000;

export interface ExpiryOptions {
  readonly expiresAt: string;
  readonly clock: SessionClock;
  readonly loadWarningMs: () => Promise<number>;
  readonly onExpiring: () => void;
  readonly onExpired: () => void;
}

/** The minutes that the token has left, once the patient is warned; null before that. */
export function useExpiry({ expiresAt, clock, loadWarningMs, onExpiring, onExpired }: ExpiryOptions): number | null {
  const [minutesLeft, setMinutesLeft] = useState<number | null>(null);
  const expiring = useEffectEvent(onExpiring);
  const expired = useEffectEvent(onExpired);
  const load = useEffectEvent(loadWarningMs);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let hasWarned = false;

    function check(warningMs: number): void {
      if (isOver) return;
      const left = Date.parse(expiresAt) - clock.now();
      const isNear = left <= warningMs;
      setMinutesLeft(isNear && left > 0 ? Math.ceil(left / 60_000) : null);
      if (left <= 0) {
        expired();
        return;
      }
      if (isNear && !hasWarned) {
        hasWarned = true;
        expiring();
      }
      const pause = isNear ? Math.min(left, WARNING_PAUSE_MS) : Math.min(left - warningMs, LONGEST_PAUSE_MS);
      timer = setTimeout(() => check(warningMs), pause);
    }
    // If the code cannot be loaded, the warning is omitted. The service still reports the end of the token.
    load().then(check, () => undefined);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [expiresAt, clock]);

  return minutesLeft;
}
