import type { Clock } from "../clock.ts";

/** The database's time, which all processes share: a lease that one of them wrote ends for all at the same moment. */
export interface DatabaseClock extends Clock {
  /** Compares the machine's clock with the moment that a query returns. */
  measure(query: () => Promise<Date | null>): Promise<void>;
  /** By how many milliseconds the machine's clock is behind the database's; negative if it is ahead. */
  offsetMs(): number;
}

/** A smaller change may only be the duration of the query, and does no harm. */
const CHANGE_MS_MIN = 100;
/** A slower answer says too little about the moment at which it was made. */
const ANSWER_MS_MAX = 1_000;

/** `monotonicMs` measures durations; the machine's clock may be set while the query runs. */
export function createDatabaseClock(machine: Clock, monotonicMs: () => number): DatabaseClock {
  let offsetMs = 0;
  return {
    now: () => new Date(machine.now().getTime() + offsetMs),
    async measure(query) {
      const begun = monotonicMs();
      const moment = await query();
      const tookMs = monotonicMs() - begun;
      if (moment === null || tookMs > ANSWER_MS_MAX) return;
      const measured = Math.round(moment.getTime() + tookMs / 2 - machine.now().getTime());
      if (Math.abs(measured - offsetMs) >= CHANGE_MS_MIN + tookMs) offsetMs = measured;
    },
    offsetMs: () => offsetMs,
  };
}
