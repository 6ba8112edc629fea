/**
 * What can go wrong in a step, at its n-th statement or call: each named so that it can be left out when a life is
 * shrunk.
 */
export type Trouble =
  | {
      /**
       * `dies`: the instance is gone at this statement or call, before or after it took effect. `refused`: the
       * statement fails. `lost_before`, `lost_after`: the connection is lost, and the statement did not, or did, take
       * effect.
       * `deadlock`: the server ends the statement's transaction, which may be run again; outside of one nothing
       * happens.
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

/** Thrown by the simulated database where a statement is to fail. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
  /** As when the disk is full. */
  readonly code = "53100";
}

/** Thrown by the simulated database where two transactions are to have waited for each other. */
export class Deadlocked extends Error {
  override readonly name = "Deadlocked";
  readonly code = "40P01";
}

/** A statement or call of a step, so named that a trouble can be put there. */
export interface Moment {
  readonly step: number;
  readonly at: Trouble["at"];
  /** The n-th of its name in the step, or of all. */
  readonly number: number;
  readonly of: string | null;
}

/** The troubles of one step, counted down as statements and calls come. */
export interface Troubles {
  /**
   * The trouble of the next statement or call of this name. A trouble that is impossible there is skipped, and excuses
   * no violation.
   */
  next(at: Trouble["at"], name: string, cannot?: readonly Trouble["kind"][]): Trouble["kind"] | null;
  /** Which have happened, in their order. */
  readonly happened: () => readonly Trouble[];
  /** Where the last statement, or call, of this name was, or of any; null outside of the step. */
  last(at: Trouble["at"], name: string | null): Moment | null;
}

/** `step`: the step that the troubles belong to; absent if nothing is to go wrong. */
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
      // Of statements only commits are asked for by name, and a statement's name is its whole text.
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
