/**
 * The only source of the present moment. Nothing below `main.ts` reads the system's clock by itself, so that a test,
 * the sandbox's time machine and the simulation can each say what time it is.
 */
export interface Clock {
  now(): Date;
}

/** The real time of the machine. */
export const systemClock: Clock = { now: () => new Date() };

export interface MovableClock extends Clock {
  /** Moves the clock by so many milliseconds; negative goes back. */
  advance(milliseconds: number): void;
  /** Puts the clock at a moment. */
  set(date: Date): void;
}

/** A clock that stands still until it is moved. Each `now()` is a fresh Date, so a caller cannot move it by accident. */
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
