import { createHash, type Hash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { type MovableClock, movableClock } from "../../src/platform/clock.ts";
import type { Met } from "./coverage.ts";
import { type Random, randomOf } from "./random.ts";
import type { Moment } from "./trouble.ts";

/** After this many turns of the event loop without an event, every task has ended or waits for the driver. */
const QUIET_TURNS = 40;
/** At each point a task waits for fewer turns than this, so that the seed decides the order of tasks. */
const JITTER_TURNS = 4;

/** The maximum number of events in one step. A step with more counts as endless. */
const NOTES_MAX = 20_000;

/** The start of every life: a Saturday afternoon in Chile. */
const BEGINNING = new Date("2026-11-21T18:00:00Z");

/**
 * Controls the time, randomness, trace and task order of one life. A life does no input or output, so tasks wait only
 * for turns of the event loop, which come in a fixed order. The exception is the parties' cryptography, during which
 * all other tasks are held.
 */
export interface Stage {
  readonly clock: MovableClock;
  /** The random choices of the current step. */
  readonly random: () => Random;
  /** Starts a step. Its random choices do not depend on those of earlier steps. */
  beginStep(name: string): void;
  /** Records an event. */
  note(line: string): void;
  /** Hash of all recorded events. */
  fingerprint(): string;
  /** The last recorded events. */
  tail(): readonly string[];
  /** Counts a cell of the coverage. */
  meet(cell: string): void;
  readonly met: Met;
  /** Records where a line of the coverage was first hit, so that a fault can be injected there. */
  meetAt(line: string, moment: Moment | null): void;
  readonly moments: ReadonlyMap<string, Moment>;
  /** Lets other tasks run first, as the seed decides. */
  jitter(): Promise<void>;
  /** Runs something while all other tasks are held. */
  alone<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Marks a task as waiting for the database, which turns of the event loop do not show. */
  busy<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Waits until every task has ended or waits for the driver. */
  quiet(): Promise<void>;
  /** Whether a step did not end. All tasks are held from then on. */
  isEndless(): boolean;
}

const TAIL_LINES = 200;

export function createStage(seed: string): Stage {
  const clock = movableClock(BEGINNING);
  const hash: Hash = createHash("sha256");
  const tail: string[] = [];
  const met = new Map<string, number>();
  const moments = new Map<string, Moment>();
  let random = randomOf(seed);
  let activity = 0;
  let notes = 0;
  let busy = 0;
  /** The number of exclusive runs, including waiting ones. They run one after the other. */
  let alone = 0;
  let lastAlone: Promise<void> = Promise.resolve();

  const untilFree = async () => {
    while (alone > 0) await lastAlone;
  };
  const untilQuiet = async () => {
    for (let still = 0, seen = activity; still < QUIET_TURNS; ) {
      await turn();
      still = busy > 0 || activity !== seen ? 0 : still + 1;
      seen = activity;
    }
  };
  return {
    clock,
    random: () => random,
    beginStep(name) {
      random = randomOf(`${seed}:${name}`);
      notes = 0;
    },
    note(line) {
      activity += 1;
      notes += 1;
      hash.update(`${line}\n`);
      tail.push(line);
      if (tail.length > TAIL_LINES * 2) tail.splice(0, TAIL_LINES);
    },
    fingerprint: () => hash.copy().digest("hex").slice(0, 16),
    tail: () => tail.slice(-TAIL_LINES),
    meet: (cell) => met.set(cell, (met.get(cell) ?? 0) + 1),
    met,
    meetAt: (line, moment) => {
      if (moment !== null && !moments.has(line)) moments.set(line, moment);
    },
    moments,
    isEndless: () => notes > NOTES_MAX,
    async jitter() {
      if (notes > NOTES_MAX) await new Promise(() => undefined);
      for (let turns = random.below(JITTER_TURNS); turns > 0; turns -= 1) await turn();
      await untilFree();
      activity += 1;
    },
    async alone(run) {
      const before = lastAlone;
      let free: () => void = () => undefined;
      lastAlone = new Promise((resolve) => {
        free = resolve;
      });
      alone += 1;
      await before;
      // All other tasks run to their next point and are held there, however long that takes.
      await untilQuiet();
      busy += 1;
      try {
        return await run();
      } finally {
        busy -= 1;
        alone -= 1;
        activity += 1;
        free();
      }
    },
    async busy(run) {
      busy += 1;
      try {
        return await run();
      } finally {
        busy -= 1;
        activity += 1;
      }
    },
    async quiet() {
      do await untilQuiet();
      while (alone > 0);
    },
  };
}
