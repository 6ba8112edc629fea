import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "./logger.ts";

/**
 * Work that a request has begun and may not wait for to its end. It is no queue: what must happen is written down in the
 * database first, and is resumed from there when the process dies.
 */
export interface BackgroundWork {
  /** Keeps account of work that was begun; a failure that nobody waits for is logged under `event`. */
  track<Result>(event: string, work: Promise<Result>): Promise<Result>;
  /** Waits until nothing is under way; called before the database is closed. */
  idle(): Promise<void>;
}

export function createBackgroundWork(logger: Logger): BackgroundWork {
  const running = new Set<Promise<unknown>>();
  return {
    track(event, work) {
      const watched = work
        .catch((error: unknown) => logger.error(event, { error }))
        .finally(() => running.delete(watched));
      running.add(watched);
      return work;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** What the work results in, or `null` if it takes longer than so many milliseconds; it goes on in that case. */
export async function resultWithin<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  const stop = new AbortController();
  const timeout = wait(milliseconds, null, { signal: stop.signal }).catch(() => null);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop.abort();
  }
}
