import { isNoAnswer } from "./errors.ts";

/** Notes whether the database answers at all. A refusal is an answer; silence until a time-out is none. */
export interface Pulse {
  /** Runs a statement, or opens a connection. */
  watch<T>(run: () => Promise<T>): Promise<T>;
  /** For how long something has been asked without any answer since; 0 if the last thing asked was answered. */
  silentMs(): number;
}

/** `now` is monotonic, in milliseconds. */
export function createPulse(now: () => number): Pulse {
  let waiting = 0;
  let silentSince: number | null = null;
  const answered = () => {
    silentSince = waiting > 0 ? now() : null;
  };
  return {
    async watch(run) {
      waiting += 1;
      silentSince ??= now();
      try {
        const result = await run();
        waiting -= 1;
        answered();
        return result;
      } catch (error) {
        waiting -= 1;
        if (!isNoAnswer(error)) answered();
        throw error;
      }
    },
    silentMs: () => (silentSince === null ? 0 : now() - silentSince),
  };
}
