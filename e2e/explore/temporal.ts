/*
 * Formulas of linear temporal logic over a trace of states. Each state rewrites a formula into the one that must hold
 * from the next state on, so that a violation is detected at the state that causes it.
 */

/** A state of a trace. The times of a trace never decrease. */
export interface Timed {
  readonly atMs: number;
}

export type Formula<State extends Timed> =
  | { readonly is: "settled"; readonly holds: boolean }
  | { readonly is: "given"; readonly formula: (state: State) => Formula<State> }
  | { readonly is: "next"; readonly formula: Formula<State> }
  | { readonly is: "always"; readonly formula: Formula<State> }
  | { readonly is: "within"; readonly ms: number; readonly byMs: number | null; readonly formula: Formula<State> }
  | { readonly is: "until"; readonly before: Formula<State>; readonly end: Formula<State>; readonly mustEnd: boolean }
  | { readonly is: "both" | "either"; readonly formulas: readonly Formula<State>[] };

const HOLDS = { is: "settled", holds: true } as const;
const FAILS = { is: "settled", holds: false } as const;

/** The test holds in the current state. */
export function now<State extends Timed>(test: (state: State) => boolean): Formula<State> {
  return { is: "given", formula: (state) => (test(state) ? HOLDS : FAILS) };
}

/** A formula that is created from the current state, and evaluated from that state on. */
export function given<State extends Timed>(formula: (state: State) => Formula<State>): Formula<State> {
  return { is: "given", formula };
}

/** If the test holds in the current state, the formula holds from there on. */
export function whenever<State extends Timed>(
  test: (state: State) => boolean,
  formula: Formula<State>,
): Formula<State> {
  return { is: "given", formula: (state) => (test(state) ? formula : HOLDS) };
}

/** The formula holds from the next state on. A trace that ends before that does not violate it. */
export function next<State extends Timed>(formula: Formula<State>): Formula<State> {
  return { is: "next", formula };
}

export function always<State extends Timed>(formula: Formula<State>): Formula<State> {
  return { is: "always", formula };
}

/**
 * The formula holds at some state at most `ms` later. The first state after that time still counts, because the time
 * between two states is unknown.
 */
export function eventually<State extends Timed>(ms: number, formula: Formula<State>): Formula<State> {
  return { is: "within", ms, byMs: null, formula };
}

/** `before` holds in every state until `end` holds, and `end` eventually holds. */
export function until<State extends Timed>(before: Formula<State>, end: Formula<State>): Formula<State> {
  return { is: "until", before, end, mustEnd: true };
}

/** `before` holds in every state until `end` holds, or in all states. */
export function unless<State extends Timed>(before: Formula<State>, end: Formula<State>): Formula<State> {
  return { is: "until", before, end, mustEnd: false };
}

/** The formula that must hold from the next state on, given the current one. */
export function progress<State extends Timed>(formula: Formula<State>, state: State): Formula<State> {
  switch (formula.is) {
    case "settled":
      return formula;
    case "given":
      return progress(formula.formula(state), state);
    case "next":
      return formula.formula;
    case "always":
      return both([progress(formula.formula, state), formula]);
    case "within": {
      const byMs = formula.byMs ?? state.atMs + formula.ms;
      const rest = progress(formula.formula, state);
      return either([rest, state.atMs >= byMs ? FAILS : { ...formula, byMs }]);
    }
    case "until": {
      const goesOn = both([progress(formula.before, state), formula]);
      return either([progress(formula.end, state), goesOn]);
    }
    case "both":
      return both(formula.formulas.map((part) => progress(part, state)));
    case "either":
      return either(formula.formulas.map((part) => progress(part, state)));
  }
}

/** The verdict on a finished trace: `pending` if something that had to follow has not. */
export type Verdict = "holds" | "violated" | "pending";

export function verdict<State extends Timed>(formula: Formula<State>): Verdict {
  switch (formula.is) {
    case "settled":
      return formula.holds ? "holds" : "violated";
    case "given":
    case "next":
    case "always":
      return "holds";
    case "within":
      return "pending";
    case "until":
      return formula.mustEnd ? "pending" : "holds";
    case "both":
      return worst(formula.formulas.map(verdict));
    case "either":
      return formula.formulas.some((part) => verdict(part) === "holds") ? "holds" : "pending";
  }
}

function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("violated")) return "violated";
  return verdicts.includes("pending") ? "pending" : "holds";
}

function both<State extends Timed>(formulas: readonly Formula<State>[]): Formula<State> {
  return joined("both", formulas, false);
}

function either<State extends Timed>(formulas: readonly Formula<State>[]): Formula<State> {
  return joined("either", formulas, true);
}

/** `deciding`: the value of a part that determines the whole. */
function joined<State extends Timed>(
  is: "both" | "either",
  formulas: readonly Formula<State>[],
  deciding: boolean,
): Formula<State> {
  const flat = formulas.flatMap((part) => (part.is === is ? part.formulas : [part]));
  if (flat.some((part) => part.is === "settled" && part.holds === deciding)) return deciding ? HOLDS : FAILS;
  const open = [...new Set(flat.filter((part) => part.is !== "settled"))];
  const [only] = open;
  if (only === undefined) return deciding ? FAILS : HOLDS;
  return open.length === 1 ? only : { is, formulas: open };
}

/** Formulas by property, each described in a sentence. */
export type Properties<State extends Timed> = Readonly<Record<string, Formula<State>>>;

/** The remainder of each property after one more state. */
export function observe<State extends Timed>(properties: Properties<State>, state: State): Properties<State> {
  return Object.fromEntries(Object.entries(properties).map(([name, formula]) => [name, progress(formula, state)]));
}

/** The names of the properties with this verdict. */
export function withVerdict<State extends Timed>(properties: Properties<State>, wanted: Verdict): string[] {
  return Object.keys(properties).filter((name) => {
    const formula = properties[name];
    return formula !== undefined && verdict(formula) === wanted;
  });
}
