/** The server's time as this page knows it: the patient's own clock may be wrong, so that only its steps are used. */
export interface SessionClock {
  /** Milliseconds since 1970, as the server counts them. */
  now(): number;
  /** Sets the clock by an answer that carries the server's time. */
  set(serverTime: string): void;
}

export function createSessionClock(serverTime: string, steps: () => number = () => performance.now()): SessionClock {
  let offset = Date.parse(serverTime) - steps();
  return {
    now: () => steps() + offset,
    set: (time) => {
      offset = Date.parse(time) - steps();
    },
  };
}
