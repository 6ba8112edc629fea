/**
 * The faults of a step, each at its n-th statement or call. Each has a name, so that it can be left out when a life is
 * shortened.
 */
export type Trouble =
  | {
      /**
       * `dies`: the instance is gone at this statement or call, before or after it took effect. `refused`: the
       * statement fails. `lost_before`, `lost_after`: the connection is lost, and the statement did not, or did, take
       * effect. `deadlock`: the server aborts the statement's transaction, which may be retried; outside of a
       * transaction nothing happens.
       */
      readonly at: "statement";
      readonly kind: "dies_before" | "dies_after" | "refused" | "lost_before" | "lost_after" | "deadlock";
      readonly number: number;
      /** Only statements, or calls, of this name are counted: `commit`, or the party's method. Absent: all. */
      readonly of?: "commit";
    }
  | {
      /** `lost_before`: the call never reaches the party. `lost_after`: its answer never reaches us. */
      readonly at: "call";
      readonly kind: "dies_before" | "dies_after" | "lost_before" | "lost_after" | "twice" | "slow";
      readonly number: number;
      readonly of?: string;
    };

export const STATEMENT_TROUBLES = [
  "dies_before",
  "dies_after",
  "refused",
  "lost_before",
  "lost_after",
  "deadlock",
] as const;
export const CALL_TROUBLES = ["dies_before", "dies_after", "lost_before", "lost_after", "twice", "slow"] as const;

/** Thrown by the simulated database for a statement that fails. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
  /** The code of a full disk. */
  readonly code = "53100";
}

/** Thrown by the simulated database for a simulated deadlock. */
export class Deadlocked extends Error {
  override readonly name = "Deadlocked";
  readonly code = "40P01";
}

/** The position of a statement or call in a step, so that a fault can be injected there. */
export interface Moment {
  readonly step: number;
  readonly at: Trouble["at"];
  /** Its number among those of the same name in the step, or among all. */
  readonly number: number;
  readonly of: string | null;
}

/** The faults of one step, counted down by statements and calls. */
export interface Troubles {
  /**
   * The fault of the next statement or call of this name. A fault that is impossible there is skipped, and excuses no
   * violation.
   */
  next(at: Trouble["at"], name: string, cannot?: readonly Trouble["kind"][]): Trouble["kind"] | null;
  /** The faults that have occurred, in their order. */
  readonly happened: () => readonly Trouble[];
  /** The position of the last statement or call of this name, or of any name; null outside of the step. */
  last(at: Trouble["at"], name: string | null): Moment | null;
}

/** `step`: the step that has the faults; absent if there are none. */
export function countTroubles(troubles: readonly Trouble[], step?: number): Troubles {
  const counts = new Map<string, number>();
  const count = (what: string) => {
    const number = (counts.get(what) ?? 0) + 1;
    counts.set(what, number);
    return number;
  };
  const happened: Trouble[] = [];
  return {
    next(at, name, cannot = []) {
      const ofAll = count(at);
      // Only commits are requested by name; the name of any other statement is its whole text.
      const ofName = at === "call" || name === "commit" ? count(`${at} ${name}`) : 0;
      const trouble = troubles.find(
        (one) =>
          one.at === at && (one.of === undefined ? one.number === ofAll : one.of === name && one.number === ofName),
      );
      if (trouble === undefined || cannot.includes(trouble.kind)) return null;
      happened.push(trouble);
      return trouble.kind;
    },
    happened: () => happened,
    last(at, name) {
      if (step === undefined) return null;
      return { step, at, number: counts.get(name === null ? at : `${at} ${name}`) ?? 0, of: name };
    },
  };
}
