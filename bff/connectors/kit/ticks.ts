import { setInterval as every } from "node:timers/promises";

/** Yields each time that `milliseconds` have passed. Ends without an error at the signal. */
export async function* ticks(milliseconds: number, signal: AbortSignal): AsyncGenerator<undefined> {
  try {
    for await (const _ of every(milliseconds, undefined, { signal })) yield undefined;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
