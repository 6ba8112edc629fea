import type { LogFields, Logger } from "../src/platform/logger.ts";
import { Died } from "./died.ts";

export interface FailedTimers {
  /** A logger that records the failing timers. */
  readonly logger: Logger;
  /**
   * Throws if a timer has failed since the last call, except those of the `expected` kinds, each of which must have
   * failed. A failed timer is retried without limit, so nothing else would report it.
   */
  throwUnexpected(expected?: readonly string[]): void;
}

/** Records timers whose handler fails with any error except the death of its process. */
export function noticeFailedTimers(logger: Logger): FailedTimers {
  const noticed: Failure[] = [];
  return {
    logger: over(logger, (failure) => void noticed.push(failure)),
    throwUnexpected(expected = []) {
      const failed = noticed.splice(0);
      const first = failed.find(({ kind }) => !expected.includes(kind));
      if (first !== undefined) throw new Error(`A timer failed: ${first.kind}`, { cause: first.error });
      const missing = expected.find((wanted) => !failed.some(({ kind }) => kind === wanted));
      if (missing !== undefined) throw new Error(`No timer failed of the kind ${missing}.`);
    },
  };
}

interface Failure {
  readonly kind: string;
  readonly error: unknown;
}

function over(logger: Logger, notice: (failure: Failure) => void): Logger {
  return {
    ...logger,
    error(event, fields: LogFields = {}) {
      const { kind, error } = fields;
      if (event === "timer.failed" && !(error instanceof Died)) notice({ kind: String(kind), error });
      logger.error(event, fields);
    },
    child: (fields) => over(logger.child(fields), notice),
  };
}
