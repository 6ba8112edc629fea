/** The server's time as this page knows it. The device's clock may be wrong, so only its increments are used. */
export interface SessionClock {
  /** Milliseconds since 1970, in server time. */
  now(): number;
  /** Sets the clock from an answer that carries the server's time. */
  set(serverTime: string): void;
}

/** The first counter stops while the device sleeps. The second may be set back by the patient or the network. */
const DEVICE: readonly (() => number)[] = [() => performance.now(), () => Date.now()];

/** Continues from `serverTime`, using whichever of the device's `counters` has advanced further. */
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
