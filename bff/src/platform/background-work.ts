import type { Clock } from "./clock.ts";
import { ApiError } from "./http/api-error.ts";
import type { Logger } from "./logger.ts";

/**
 * Work that a request starts without waiting for its end. It is not a queue: work that must happen is first written to
 * the database, and is resumed from there if the process dies.
 */
export interface BackgroundWork {
  /** Tracks started work. Any error but an `ApiError`, which is an answer, is logged under `event`. */
  track<Result>(event: string, work: Promise<Result>): Promise<Result>;
  /** Waits until no work is running; called before the database is closed. */
  idle(): Promise<void>;
}

export function createBackgroundWork(logger: Logger): BackgroundWork {
  const running = new Set<Promise<unknown>>();
  return {
    track(event, work) {
      const watched = work
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) logger.error(event, { error });
        })
        .finally(() => running.delete(watched));
      running.add(watched);
      return work;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Counts down from this many milliseconds, starting now, and stays within them even if the clock jumps. */
export function countdown(clock: Clock, milliseconds: number): () => number {
  const end = clock.now().getTime() + milliseconds;
  return () => Math.min(milliseconds, Math.max(0, end - clock.now().getTime()));
}

/** The work's result, or `null` if it takes longer than this many milliseconds. The work then continues. */
export async function resultWithin<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, milliseconds, null);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
