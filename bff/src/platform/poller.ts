import type { Logger } from "./logger.ts";

export interface PollerOptions {
  /** Looks for work once and begins what it finds. */
  readonly look: () => Promise<void>;
  readonly pollMs: number;
  readonly logger: Logger;
}

export interface Poller {
  /** Looks at once and then every `pollMs`. */
  start(): void;
  /** Looks now. Does nothing before `start`. */
  wake(): void;
  /** Stops looking and waits for the look under way. */
  stop(): Promise<void>;
}

/** Calls `look` every so often and when woken, never twice at a time; a wish during a look makes it look again. */
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
        // The next look, a poll later, tries again: a database that is away comes back.
        logger.warn("poller.look_failed", { error });
        return;
      }
    }
  };
  const wake = () => {
    if (interval === undefined) return;
    isWanted = true;
    looking ??= lookWhileWanted().finally(() => {
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
