/** The server's time as this page knows it: the patient's own clock may be wrong, so that only its steps are used. */
export interface SessionClock {
  /** Milliseconds since 1970, as the server counts them. */
  now(): number;
  /** Sets the clock by an answer that carries the server's time. */
  set(serverTime: string): void;
}

/** The first stands still while the device sleeps; the second may be set back by hand, or by the network. */
const DEVICE: readonly (() => number)[] = [() => performance.now(), () => Date.now()];

/** Counts from `serverTime` on by whichever of the device's `counters` has gone further since. */
export function createSessionClock(serverTime: string, counters = DEVICE): SessionClock {
  const startedNow = (time: string) => ({ server: Date.parse(time), device: counters.map((read) => read()) });
  let started = startedNow(serverTime);
  return {
    now: () => started.server + Math.max(...counters.map((read, index) => read() - (started.device[index] ?? 0))),
    set: (time) => {
      started = startedNow(time);
    },
  };
}
