/**
 * The only source of the current time. Code below `main.ts` never reads the system's clock, so that tests, the sandbox
 * and the simulation can set the time.
 */
export interface Clock {
  now(): Date;
}

/** The real time of the machine. */
export const systemClock: Clock = { now: () => new Date() };

export interface MovableClock extends Clock {
  /** Moves the clock forward by this many milliseconds, or back if negative. */
  advance(milliseconds: number): void;
  /** Sets the clock to a moment. */
  set(date: Date): void;
}

/**
 * A clock that stands still until it is moved. Each `now()` returns a new Date, so that callers cannot change the clock
 * by accident.
 */
export function movableClock(start: Date): MovableClock {
  let current = requireValid(start.getTime());
  return {
    now: () => new Date(current),
    advance(milliseconds) {
      current = requireValid(current + milliseconds);
    },
    set(date) {
      current = requireValid(date.getTime());
    },
  };
}

function requireValid(milliseconds: number): number {
  if (Number.isNaN(new Date(milliseconds).getTime())) throw new RangeError("A clock needs a valid date.");
  return milliseconds;
}

/** Measures real seconds from now on, for metrics: a movable clock cannot measure durations. */
export function stopwatch(): () => number {
  const begun = performance.now();
  return () => (performance.now() - begun) / 1_000;
}
