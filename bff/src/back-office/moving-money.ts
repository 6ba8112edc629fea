import { filedByDay, lastFiled } from "../claims/claim-reads.ts";
import { lastConfirmedMoves, movedByDay, namedDaysUntilNow } from "../orders/book-reads.ts";
import { providerClocks } from "../tenants/providers.ts";
import type { ExceptionsDependencies } from "./list-exceptions.ts";

/** Whether money moves: today until now, against the same time of the days before. */

export const MOVES = ["captured", "collected", "paid_out", "claims", "returned"] as const;
export type Move = (typeof MOVES)[number];

/** `low`: less than half of the usual count at this time of day. `quiet`: too few are usual to judge. */
export const PACES = ["usual", "low", "quiet"] as const;
export type Pace = (typeof PACES)[number];

/** The days before today that are compared. */
export const COMPARED_DAYS = 7;
/** With fewer movements a day, none today says nothing. */
const JUDGED_MIN = 4;

interface MovedDay {
  readonly daysAgo: number;
  readonly count: number;
  /** Null for claims, which move no money. */
  readonly pesos: number | null;
}

export interface MovingMoney {
  readonly move: Move;
  /** Today first. */
  readonly days: readonly MovedDay[];
  /** The median of the days before. */
  readonly usualCount: number;
  readonly pace: Pace;
}

/** Each kind of movement today and on the seven days before, until the present time of day. */
export async function readMovingMoney({ db, clock, environment }: ExceptionsDependencies): Promise<MovingMoney[]> {
  const clocks = providerClocks(environment, clock.now());
  const moved = await movedByDay(db, clocks, COMPARED_DAYS);
  const filed = await filedByDay(db, namedDaysUntilNow(clocks, COMPARED_DAYS));
  const claims = filed.map((day) => ({ ...day, move: "claims" as const, pesos: null }));
  return MOVES.map((move) =>
    movingOf(
      move,
      [...moved, ...claims].filter((day) => day.move === move),
    ),
  );
}

/** How many seconds ago each party last confirmed a movement; null: more than eight days ago, or never. */
export async function readLastConfirmed({
  db,
  clock,
  environment,
}: ExceptionsDependencies): Promise<ReadonlyMap<string, number | null>> {
  const clocks = providerClocks(environment, clock.now());
  return new Map([...(await lastConfirmedMoves(db, clocks)), ["insurer", await lastFiled(db, clocks)]]);
}

/** Fills in the days without a movement, and judges today by the others. Exported for its test. */
export function movingOf(move: Move, found: readonly MovedDay[]): MovingMoney {
  const pesos = move === "claims" ? null : 0;
  const days = Array.from(
    { length: COMPARED_DAYS + 1 },
    (_, daysAgo) => found.find((day) => day.daysAgo === daysAgo) ?? { daysAgo, count: 0, pesos },
  );
  const [today, ...before] = days;
  const sorted = before.map(({ count }) => count).toSorted((one, other) => one - other);
  const usualCount = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isLow = (today?.count ?? 0) * 2 < usualCount;
  return { move, days, usualCount, pace: usualCount < JUDGED_MIN ? "quiet" : isLow ? "low" : "usual" };
}
