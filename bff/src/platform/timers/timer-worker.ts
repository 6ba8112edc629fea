import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../database/transaction.ts";
import type { Ids } from "../ids.ts";
import type { Logger } from "../logger.ts";
import {
  type Claim,
  type ClaimedTimer,
  claimTimers,
  completeTimer,
  postponeTimer,
  renewLeases,
  timerName,
} from "./timer-store.ts";

/** Done for ever, or to be begun again later, with another payload where one is given. */
export type TimerOutcome = "done" | { again: Date; payload?: object };

/** What a handler answers: an outcome to be written, or `completed` where it has written that itself, with others'. */
export type TimerAnswer = TimerOutcome | "completed";

export interface TimerContext {
  /**
   * Writes the outcome in the handler's own transaction, so that it and the handler's writes hold together or not at all.
   * Call it first in the transaction: it locks the timer's row against any other worker. Throws `LeaseLost` when the
   * lease is not this worker's any more; let that error end the transaction.
   */
  finish(tx: Transaction, outcome?: TimerOutcome): Promise<void>;
  /** Aborted when the lease is lost or the worker gives up waiting for the handler. */
  signal: AbortSignal;
}

/**
 * Does what a timer is for. It makes its outside calls outside of any transaction, and may be run more than once (a
 * worker can die after the call), so that outside calls go under an idempotency key. What it returns is written under
 * its lease, unless it has called `finish`. When it throws it is begun again later, for ever.
 */
export type TimerHandler = (timer: ClaimedTimer, context: TimerContext) => Promise<TimerAnswer>;

/** Handlers by the kind of timer. */
export type TimerHandlers = Readonly<Record<string, TimerHandler>>;

/** Thrown by `finish` when another worker holds the timer, or it was moved, cancelled or done. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly code = "lease_lost";
}

export interface TimerWorkerOptions {
  db: Database;
  /** Real time; the sandbox moves timers, not this clock. */
  clock: Clock;
  ids: Ids;
  logger: Logger;
  handlers: TimerHandlers;
  /** How many timers of each kind are under way at most, so that a slow kind takes no place from the others. */
  concurrency: number;
  /** After how long a timer whose worker died is begun again. A worker that lives renews its leases in time. */
  leaseMs: number;
  /** How often the worker looks for due timers when nobody wakes it. */
  pollMs: number;
}

export interface TimerWorker {
  /** Begins to look for due timers, at once and then every `pollMs`. */
  start(): void;
  /** Stops looking and waits for the handlers under way; after `deadlineMs` it aborts their signals and returns. */
  stop(options?: { deadlineMs: number }): Promise<void>;
  /** Looks for due timers now, because something was just scheduled. Does nothing before `start`. */
  wake(): void;
  /** Runs everything that is due now, and what becomes due by that, until nothing is. Returns how many handlers ran. */
  runDue(options?: RunDueOptions): Promise<number>;
  /** Waits until no handler is under way and no look is. */
  idle(): Promise<void>;
}

export interface RunDueOptions {
  /** Only what this provider waits for: the rest of the world may never be still. */
  providerId?: string;
  /** One after the other in the order of their due moments, for simulations that must go the same way every time. */
  oneByOne?: boolean;
}

const firstRetryMs = 1_000;
const retryMaxMs = 15 * MINUTE_MS;
const stopDeadlineMs = 10_000;
const everything = Number.MAX_SAFE_INTEGER;

/** How long after its n-th failure a timer is begun again: 1 s, doubling up to 15 min. */
export function retryDelayMs(attempts: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(attempts - 1, 20), retryMaxMs);
}

interface Running {
  timer: ClaimedTimer;
  abort: AbortController;
  ended: Promise<void>;
}

/** Makes a worker; any number of them, in any number of processes, may share one database. */
export function createTimerWorker(options: TimerWorkerOptions): TimerWorker {
  return new LeasingWorker(options);
}

class LeasingWorker implements TimerWorker {
  readonly #options: TimerWorkerOptions;
  readonly #running = new Set<Running>();
  #isStarted = false;
  #polling: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #isLookWanted = false;
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: TimerWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#startRenewing();
    this.#polling = setInterval(() => this.#look(), this.#options.pollMs);
    this.#look();
  }

  async stop({ deadlineMs } = { deadlineMs: stopDeadlineMs }): Promise<void> {
    this.#isStarted = false;
    clearInterval(this.#polling);
    await this.#looking;
    await withDeadline(this.#drain(), deadlineMs, () => {
      this.#options.logger.warn("timers.abandoned", { count: this.#running.size });
      for (const { abort } of this.#running) abort.abort();
    });
    this.#stopRenewing();
  }

  wake(): void {
    if (this.#isStarted) this.#look();
  }

  async runDue({ providerId, oneByOne = false }: RunDueOptions = {}): Promise<number> {
    const scope = { totalMax: oneByOne ? 1 : everything, providerId: providerId ?? null };
    this.#startRenewing();
    try {
      for (let count = 0; ; ) {
        const begun = (await this.#claim(scope)).map((timer) => this.#begin(timer));
        const underWay = [...this.#running].filter(
          ({ timer }) => providerId === undefined || timer.providerId === providerId,
        );
        if (underWay.length === 0) return count;
        await Promise.all(underWay.map(({ ended }) => ended));
        count += begun.length;
      }
    } finally {
      if (!this.#isStarted) this.#stopRenewing();
    }
  }

  async idle(): Promise<void> {
    do {
      await this.#looking;
      await this.#drain();
    } while (this.#isLooking || this.#running.size > 0);
  }

  async #drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  /** Looks once at a time; a wish during a look makes it look again. */
  #look(): void {
    this.#isLookWanted = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#looking = this.#lookWhileWanted().finally(() => {
      this.#isLooking = false;
    });
  }

  async #lookWhileWanted(): Promise<void> {
    while (this.#isLookWanted && this.#isStarted) {
      this.#isLookWanted = false;
      try {
        for (const timer of await this.#claim({ totalMax: everything, providerId: null })) this.#begin(timer);
      } catch (error) {
        // The next look, a poll later, tries again: a database that is away comes back.
        this.#options.logger.warn("timers.look_failed", { error });
        return;
      }
    }
  }

  async #claim(scope: Pick<Claim, "totalMax" | "providerId">): Promise<ClaimedTimer[]> {
    const { db, clock, ids, leaseMs } = this.#options;
    const wanted = this.#freePlaces();
    if (wanted.size === 0) return [];
    const now = clock.now();
    return claimTimers(db, {
      ...scope,
      wanted,
      now,
      leaseId: ids.uuid(),
      leaseUntil: new Date(now.getTime() + leaseMs),
    });
  }

  #freePlaces(): Map<string, number> {
    const { handlers, concurrency } = this.#options;
    const free = new Map<string, number>();
    for (const kind of Object.keys(handlers)) {
      const places = concurrency - this.#countRunning(kind);
      if (places > 0) free.set(kind, places);
    }
    return free;
  }

  #countRunning(kind: string): number {
    let count = 0;
    for (const { timer } of this.#running) if (timer.kind === kind) count += 1;
    return count;
  }

  #begin(timer: ClaimedTimer): Running {
    const abort = new AbortController();
    const entry: Running = { timer, abort, ended: Promise.resolve() };
    this.#running.add(entry);
    entry.ended = runTimer(this.#options, timer, abort.signal).finally(() => {
      this.#running.delete(entry);
      // Another of this kind may wait for the place. Half the places free are worth a query; fewer are not.
      if (this.#isStarted && this.#countRunning(timer.kind) <= this.#options.concurrency / 2) this.#look();
    });
    return entry;
  }

  #startRenewing(): void {
    let isUnderWay = false;
    const renew = async () => {
      // One that takes long, with a database that hardly answers, must not be followed by more that take its connections.
      if (isUnderWay) return;
      isUnderWay = true;
      await this.#renew();
      isUnderWay = false;
    };
    this.#renewing ??= setInterval(() => void renew(), this.#options.leaseMs / 3);
  }

  #stopRenewing(): void {
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  /** Keeps the leases of what is under way; a timer whose lease is lost has its handler's signal aborted. */
  async #renew(): Promise<void> {
    const { db, clock, leaseMs, logger } = this.#options;
    const entries = [...this.#running];
    if (entries.length === 0) return;
    try {
      const leaseUntil = new Date(clock.now().getTime() + leaseMs);
      const kept = await renewLeases(
        db,
        entries.map(({ timer }) => timer),
        leaseUntil,
      );
      for (const { timer, abort } of entries) if (!kept.has(timerName(timer))) abort.abort();
    } catch (error) {
      logger.warn("timers.renewal_failed", { error });
    }
  }
}

/** Runs one handler and writes its outcome. Never throws: what goes wrong is logged, and the timer begun again. */
async function runTimer(
  { db, clock, logger, handlers }: TimerWorkerOptions,
  timer: ClaimedTimer,
  signal: AbortSignal,
): Promise<void> {
  let isFinished = false;
  const finish = async (tx: Transaction, outcome: TimerOutcome = "done") => {
    if (!(await writeOutcome(tx, timer, outcome, clock.now())))
      throw new LeaseLost("The timer is not this worker's any more.");
    isFinished = true;
  };
  try {
    const outcome = await handlerOf(handlers, timer)(timer, { finish, signal });
    if (outcome === "completed" || isFinished) return;
    if (!(await writeOutcome(db, timer, outcome, clock.now()))) logger.warn("timer.lease_lost", describe(timer));
  } catch (error) {
    if (error instanceof LeaseLost) logger.warn("timer.lease_lost", describe(timer));
    else await retryLater({ db, clock, logger }, timer, error);
  }
}

function handlerOf(handlers: TimerHandlers, timer: ClaimedTimer): TimerHandler {
  const handler = handlers[timer.kind];
  if (handler === undefined) throw new Error("A timer was claimed for which there is no handler.");
  return handler;
}

function writeOutcome(tx: Database, timer: ClaimedTimer, outcome: TimerOutcome, now: Date): Promise<boolean> {
  if (outcome === "done") return completeTimer(tx, timer, now);
  const { again, payload } = outcome;
  return postponeTimer(tx, timer, { dueAt: again, fresh: true, ...(payload && { payload }) });
}

async function retryLater(
  { db, clock, logger }: Pick<TimerWorkerOptions, "db" | "clock" | "logger">,
  timer: ClaimedTimer,
  error: unknown,
): Promise<void> {
  const delayMs = retryDelayMs(timer.attempts);
  logger.error("timer.failed", { ...describe(timer), retry_in_ms: delayMs, error });
  try {
    await postponeTimer(db, timer, { dueAt: new Date(clock.now().getTime() + delayMs), fresh: false });
  } catch (cause) {
    // The lease runs out and another worker, or this one, begins the timer again.
    logger.warn("timer.retry_not_written", { ...describe(timer), error: cause });
  }
}

function describe({ kind, providerId, attempts }: ClaimedTimer) {
  return { kind, provider_id: providerId, attempts };
}

/** Waits for the work, but not longer than the deadline; then says so and goes on. */
async function withDeadline(work: Promise<void>, deadlineMs: number, onDeadline: () => void): Promise<void> {
  let timeout: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timeout = setTimeout(() => {
      onDeadline();
      resolve();
    }, deadlineMs);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timeout);
}
