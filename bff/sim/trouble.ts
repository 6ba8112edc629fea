/** What can go wrong in a step, at its n-th statement or call: each named so that it can be left out when a life is shrunk. */
export type Trouble =
  | {
      /**
       * `dies`: the instance is gone at this statement or call, before or after it took effect. `refused`: the statement
       * fails. `lost_before`, `lost_after`: the connection is lost, and the statement did not, or did, take effect.
       */
      readonly at: "statement";
      readonly kind: "dies_before" | "dies_after" | "refused" | "lost_before" | "lost_after";
      readonly number: number;
    }
  | {
      /** `lost_before`, `lost_after`: the party does not hear of the call, or we do not hear of its effect. */
      readonly at: "call";
      readonly kind: "dies_before" | "dies_after" | "lost_before" | "lost_after" | "twice" | "slow";
      readonly number: number;
    };

export const STATEMENT_TROUBLES = ["dies_before", "dies_after", "refused", "lost_before", "lost_after"] as const;
export const CALL_TROUBLES = ["dies_before", "dies_after", "lost_before", "lost_after", "twice", "slow"] as const;

/** Thrown by the simulated database where a statement is to fail. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
  /** As when the disk is full. */
  readonly code = "53100";
}

/** The troubles of one step, counted down as statements and calls come. */
export interface Troubles {
  /** What is to happen at the next statement, or call. */
  next(at: Trouble["at"]): Trouble["kind"] | null;
  /** Whether any has happened. */
  readonly happened: () => boolean;
}

export function countTroubles(troubles: readonly Trouble[]): Troubles {
  const counts = { statement: 0, call: 0 };
  let happened = false;
  return {
    next(at) {
      counts[at] += 1;
      const trouble = troubles.find((one) => one.at === at && one.number === counts[at]);
      if (trouble !== undefined) happened = true;
      return trouble?.kind ?? null;
    },
    happened: () => happened,
  };
}
