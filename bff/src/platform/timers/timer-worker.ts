import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { asBackground } from "../callers.ts";
import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../database/transaction.ts";
import type { Ids } from "../ids.ts";
import type { Logger } from "../logger.ts";
import type { Metrics, TimerVerdict } from "../metrics.ts";
import type { Environment } from "../provider.ts";
import type { Switch } from "../switches.ts";
import { parseTraceparent } from "../tracing/traceparent.ts";
import { inSpan, type Tracer } from "../tracing/tracing.ts";
import {
  type Claim,
  type ClaimedTimer,
  claimTimers,
  completeAndRemoveTimer,
  completeTimer,
  postponeTimer,
  renewLeases,
  timerName,
} from "./timer-store.ts";

/*
 * Durable timers: work that is scheduled in the database, run by the worker when it is due, and retried until it
 * succeeds.
 */

/**
 * `done`: for good, because its row stays and prevents another timer with its kind and key. `gone`: done, and its row
 * is deleted, because its subject itself shows that the work is done. Otherwise it runs again later, optionally with
 * another payload.
 */
export type TimerOutcome = "done" | "gone" | { again: Date; payload?: object };

/** What a handler returns: an outcome for the worker to write, or `completed` if the handler has written it itself. */
export type TimerAnswer = TimerOutcome | "completed";

export interface TimerContext {
  /**
   * Writes the outcome in the handler's own transaction, so that it is committed together with the handler's writes or
   * not at all. Call it first in the transaction, because it locks the timer's row against other workers. Throws
   * `LeaseLost` if this worker no longer holds the lease; let that error end the transaction.
   */
  finish(tx: Transaction, outcome?: TimerOutcome): Promise<void>;
  /** Aborted when the lease is lost, or the worker stops waiting for the handler. */
  signal: AbortSignal;
}

/**
 * Does the work of a timer. Calls gateways outside of any transaction. It may run more than once, because a worker can
 * die after a call, so gateway calls need an idempotency key. Its result is written under the timer's lease, unless it
 * has called `finish`. If it throws, it is run again later, without a limit on attempts.
 */
export type TimerHandler = (timer: ClaimedTimer, context: TimerContext) => Promise<TimerAnswer>;

/** Handlers by the kind of timer. */
export type TimerHandlers = Readonly<Record<string, TimerHandler>>;

/** Thrown by `finish` when another worker holds the timer, or the timer was moved, cancelled or completed. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly code = "lease_lost";
}

export interface TimerWorkerOptions {
  db: Database;
  /** Real time, because the sandbox moves timers and not this clock. */
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Pick<Metrics, "timerRan">;
  tracer: Tracer;
  handlers: TimerHandlers;
  /** The switch that stops each kind of timer. Kinds without a switch are absent. */
  switchOf: Readonly<Record<string, Switch>>;
  environment: Environment;
  /** The maximum number of running timers per kind, so that a slow kind does not delay the others. */
  concurrency: number;
  /** The milliseconds after which a timer whose worker died runs again. */
  leaseMs: number;
  /** How often a live worker renews the leases of its running timers; three times within `leaseMs` by default. */
  renewEveryMs?: number | undefined;
  /** How often the worker queries for due timers when it is not woken. */
  pollMs: number;
}

export interface TimerWorker {
  /** Queries for due timers at once and then every `pollMs`. */
  start(): void;
  /** Stops querying and waits for the running handlers; after `deadlineMs` it aborts their signals and returns. */
  stop(options?: { deadlineMs: number }): Promise<void>;
  /** Queries for due timers now, because one was just scheduled. Does nothing before `start`. */
  wake(): void;
  /**
   * Runs every due timer, and those that become due as a result, until none is left. Returns the number of handlers
   * that ran.
   */
  runDue(options?: RunDueOptions): Promise<number>;
  /** Waits until no handler and no query for due timers is running. */
  idle(): Promise<void>;
}

export interface RunDueOptions {
  /** Runs only this provider's timers, because other providers may schedule new ones without end. */
  providerId?: string;
  /** Runs one timer at a time, ordered by `dueAt`, for simulations that must be reproducible. */
  oneByOne?: boolean;
}

const firstRetryMs = 1_000;
const retryMaxMs = 15 * MINUTE_MS;
const stopDeadlineMs = 10_000;
const everything = Number.MAX_SAFE_INTEGER;

/** The delay after the n-th failure in milliseconds: 1 s, doubling up to 15 min. */
export function retryDelayMs(attempts: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(attempts - 1, 20), retryMaxMs);
}

interface Running {
  timer: ClaimedTimer;
  abort: AbortController;
  ended: Promise<void>;
}

/** Creates a worker. Any number of workers in any number of processes may share one database. */
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
  readonly #runs = new Set<Promise<number>>();

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

  async runDue(options: RunDueOptions = {}): Promise<number> {
    const run = this.#runUntilNoneIsDue(options);
    this.#runs.add(run);
    try {
      return await run;
    } finally {
      this.#runs.delete(run);
    }
  }

  async #runUntilNoneIsDue({ providerId, oneByOne = false }: RunDueOptions): Promise<number> {
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
    while (this.#running.size > 0 || this.#runs.size > 0)
      await Promise.allSettled([...[...this.#running].map(({ ended }) => ended), ...this.#runs]);
  }

  /** Runs one query at a time; a call during a query causes one more query after it. */
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
        // The next poll tries again, so an outage of the database needs no other handling.
        this.#options.logger.warn("timers.look_failed", { error });
        return;
      }
    }
  }

  async #claim(scope: Pick<Claim, "totalMax" | "providerId">): Promise<ClaimedTimer[]> {
    const { db, clock, ids, leaseMs, environment, switchOf } = this.#options;
    const wanted = this.#freePlaces();
    if (wanted.size === 0) return [];
    const now = clock.now();
    return claimTimers(db, {
      ...scope,
      wanted,
      environment,
      switchOf,
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
      // More timers of this kind may be due. The query is only worth its cost if at least half of the places are free.
      if (this.#isStarted && this.#countRunning(timer.kind) <= this.#options.concurrency / 2) this.#look();
    });
    return entry;
  }

  #startRenewing(): void {
    let isUnderWay = false;
    const renew = async () => {
      // Renewals must not overlap, because they would use up the connections of a slow database.
      if (isUnderWay) return;
      isUnderWay = true;
      await this.#renew();
      isUnderWay = false;
    };
    const { leaseMs, renewEveryMs = leaseMs / 3 } = this.#options;
    this.#renewing ??= setInterval(() => void renew(), renewEveryMs);
  }

  #stopRenewing(): void {
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  /** Renews the leases of all running timers, and aborts the handlers of those whose lease was lost. */
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

/** Runs one handler and writes its outcome. Never throws: an error is logged and the timer is retried. */
async function runTimer(options: TimerWorkerOptions, timer: ClaimedTimer, signal: AbortSignal): Promise<void> {
  const { kind, key, providerId, attempts, traceparent } = timer;
  const orderId = orderIn(timer);
  const span = options.tracer.start({
    name: `timer ${kind}`,
    kind: "consumer",
    parent: parseTraceparent(traceparent),
    subject: { timer: key, provider_id: providerId, ...(orderId === undefined ? {} : { order_id: orderId }) },
  });
  const outcome = await inSpan(span, () => asBackground(() => verdictOf(options, timer, signal)));
  options.metrics.timerRan({ kind, outcome, isRetry: attempts > 1 });
  span.end({ attributes: { outcome, attempts }, hasFailed: outcome === "failed" });
}

async function verdictOf(
  { db, clock, logger, handlers }: TimerWorkerOptions,
  timer: ClaimedTimer,
  signal: AbortSignal,
): Promise<TimerVerdict> {
  let finished: TimerOutcome | null = null;
  const finish = async (tx: Transaction, outcome: TimerOutcome = "done") => {
    if (!(await writeOutcome(tx, timer, outcome, clock.now())))
      throw new LeaseLost("The timer's lease belongs to another worker.");
    finished = outcome;
  };
  try {
    const outcome = await handlerOf(handlers, timer)(timer, { finish, signal });
    if (outcome === "completed" || finished !== null) return verdictIn(finished ?? "done");
    if (await writeOutcome(db, timer, outcome, clock.now())) return verdictIn(outcome);
  } catch (error) {
    if (!(error instanceof LeaseLost)) {
      await retryLater({ db, clock, logger }, timer, error);
      return "failed";
    }
  }
  logger.warn("timer.lease_lost", describe(timer));
  return "lease_lost";
}

function verdictIn(outcome: TimerOutcome): TimerVerdict {
  return typeof outcome === "string" ? "done" : "again";
}

function handlerOf(handlers: TimerHandlers, timer: ClaimedTimer): TimerHandler {
  const handler = handlers[timer.kind];
  if (handler === undefined) throw new Error("A timer was claimed that has no handler.");
  return handler;
}

function writeOutcome(tx: Database, timer: ClaimedTimer, outcome: TimerOutcome, now: Date): Promise<boolean> {
  if (outcome === "done") return completeTimer(tx, timer, now);
  if (outcome === "gone") return completeAndRemoveTimer(tx, timer);
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
    // The lease expires, and then any worker runs the timer again.
    logger.warn("timer.retry_not_written", { ...describe(timer), error: cause });
  }
}

function describe(timer: ClaimedTimer) {
  const { kind, key, providerId, attempts } = timer;
  return { kind, timer: key, provider_id: providerId, order_id: orderIn(timer), attempts };
}

/** The payload of a timer about an order contains the order's id. */
function orderIn({ payload }: ClaimedTimer): string | undefined {
  const named = typeof payload === "object" && payload !== null && "order_id" in payload ? payload.order_id : undefined;
  return typeof named === "string" ? named : undefined;
}

/** Waits for the work until the deadline, then calls `onDeadline` and returns. */
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
