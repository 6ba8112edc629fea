import { asNeither } from "./callers.ts";
import type { Logger } from "./logger.ts";

export interface PollerOptions {
  /** Queries for work once and starts the found work. */
  readonly look: () => Promise<void>;
  readonly pollMs: number;
  readonly logger: Logger;
}

export interface Poller {
  /** Calls `look` at once and then every `pollMs`. */
  start(): void;
  /** Calls `look` now. Does nothing before `start`. */
  wake(): void;
  /** Stops polling and waits for the running `look`. */
  stop(): Promise<void>;
}

/**
 * Calls `look` at intervals and when woken, never twice at once. A wake-up during a call causes one more call after it.
 */
export function createPoller({ look, pollMs, logger }: PollerOptions): Poller {
  let interval: NodeJS.Timeout | undefined;
  let isWanted = false;
  let looking: Promise<void> | undefined;

  const lookWhileWanted = async () => {
    while (isWanted && interval !== undefined) {
      isWanted = false;
      try {
        await look();
      } catch (error) {
        // The next poll tries again, so an outage of the database needs no other handling.
        logger.warn("poller.look_failed", { error });
        return;
      }
    }
  };
  const wake = () => {
    if (interval === undefined) return;
    isWanted = true;
    looking ??= asNeither(lookWhileWanted).finally(() => {
      looking = undefined;
    });
  };
  return {
    start() {
      interval ??= setInterval(wake, pollMs);
      wake();
    },
    wake,
    async stop() {
      clearInterval(interval);
      interval = undefined;
      await looking;
    },
  };
}
