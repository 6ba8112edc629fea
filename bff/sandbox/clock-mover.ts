import { setTimeout as realWait } from "node:timers/promises";
import { CLOCK_ANSWER_WITHIN_SECONDS } from "../src/contract/sandbox-endpoints.ts";
import { SECOND_MS } from "../src/contract/vocabulary/durations.ts";
import type { Clock } from "../src/platform/clock.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import type { Logger } from "../src/platform/logger.ts";
import { shiftTimers } from "../src/platform/timers/timer-store.ts";
import { moveProviderClock } from "../src/tenants/manage-provider.ts";
import { addToMove, findRemaining, listMoving, lockRemaining, takeFromMove } from "./clock-store.ts";
import { nextStopAt } from "./next-stop.ts";

/** The maximum by which a clock can be moved at once. */
export const CLOCK_ADVANCE_DAYS_MAX = 400;

/** How long another worker may hold a due timer before the move is given up. */
const STUCK_MS = 60_000;
const STUCK_POLL_MS = 50;

export interface ClockMoverDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs everything of a provider that is due now or becomes due as a result. Returns the number of tasks. */
  readonly runDue: (scope: { readonly providerId: string }) => Promise<number>;
  readonly answerWithinMs?: number | undefined;
  /** Waits for real time to pass. Ends at once when the signal is aborted. */
  readonly wait?: Wait;
}

type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const waitInRealTime: Wait = (milliseconds, signal) =>
  realWait(milliseconds, undefined, signal === undefined ? {} : { signal });

export interface ClockMover {
  /**
   * Moves a provider's clock forward from one due moment to the next and runs the due work at each. Returns how much of
   * the move is left: 0 when everything is done. The rest continues after the return.
   */
  advance(providerId: string, milliseconds: number): Promise<{ readonly remainingMs: number }>;
  /** How much of the move is left. */
  remaining(providerId: string): Promise<number>;
  /** Continues the moves that a previous process began. Returns when they are complete. */
  resume(): Promise<void>;
  /** Stops after the current step. The rest is recorded, and `resume` or the next `advance` continues it. */
  stop(): Promise<void>;
}

export function createClockMover(dependencies: ClockMoverDependencies): ClockMover {
  const { db, clock, logger, wait = waitInRealTime } = dependencies;
  const { answerWithinMs = CLOCK_ANSWER_WITHIN_SECONDS * SECOND_MS } = dependencies;
  /** The moves of this process by provider; moves of one provider run one after the other. */
  const moves = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  function follow(providerId: string): Promise<void> {
    const move = (moves.get(providerId) ?? Promise.resolve())
      .then(() => moveToEnd(dependencies, providerId, stopping.signal))
      .catch((error: unknown) => logger.error("sandbox.clock_failed", { provider_id: providerId, error }))
      .finally(() => {
        if (moves.get(providerId) === move) moves.delete(providerId);
      });
    moves.set(providerId, move);
    return move;
  }

  return {
    async advance(providerId, milliseconds) {
      await addToMove(db, { providerId, milliseconds, at: clock.now() });
      await withinTime(follow(providerId), (ended) => wait(answerWithinMs, ended));
      return { remainingMs: await findRemaining(db, providerId) };
    },
    remaining: (providerId) => findRemaining(db, providerId),
    async resume() {
      try {
        await Promise.all((await listMoving(db)).map(follow));
      } catch (error) {
        logger.error("sandbox.clock_failed", { error });
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(moves.values());
    },
  };
}

async function moveToEnd(dependencies: ClockMoverDependencies, providerId: string, signal: AbortSignal): Promise<void> {
  const { clock, runDue, logger } = dependencies;
  let waitedMs = 0;
  while (!signal.aborted) {
    await runDue({ providerId });
    if (signal.aborted) return;
    const step = await inTransaction(dependencies.db, (tx) => takeStep(tx, providerId, clock.now()));
    if (step === "done") return;
    if (step === "moved") {
      waitedMs = 0;
      continue;
    }
    if (waitedMs >= STUCK_MS) {
      logger.warn("sandbox.clock_stuck", { provider_id: providerId });
      return;
    }
    await waitInRealTime(STUCK_POLL_MS);
    waitedMs += STUCK_POLL_MS;
  }
}

/**
 * Moves the clock to the next due time, or to the end of the move. `due`: another worker holds due work that the clock
 * must not pass yet.
 */
async function takeStep(
  tx: Parameters<typeof moveProviderClock>[0],
  providerId: string,
  now: Date,
): Promise<"done" | "moved" | "due"> {
  const remainingMs = await lockRemaining(tx, providerId);
  if (remainingMs === 0) return "done";
  const due = await nextStopAt(tx, providerId, now);
  const untilDueMs = due === null ? Number.POSITIVE_INFINITY : due.getTime() - now.getTime();
  if (untilDueMs <= 0) return "due";
  const milliseconds = Math.min(remainingMs, untilDueMs);
  await shiftTimers(tx, providerId, milliseconds);
  await moveProviderClock(tx, { providerId, milliseconds, at: now });
  await takeFromMove(tx, { providerId, milliseconds, at: now });
  return "moved";
}

/** Waits for the work or for the limit, whichever comes first. */
async function withinTime(work: Promise<void>, limit: (ended: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, limit(ended.signal).catch(() => undefined)]);
  ended.abort();
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `45d`, `1d12h` → milliseconds. The contract's schema has already validated the text. */
export function durationMs(text: string): number {
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
}
