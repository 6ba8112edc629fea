import type { Mutant } from "./find-mutants.ts";

/** The number of a mutant in a compiled file. */
type NumberedMutant = readonly [number: number, mutant: Mutant];

/** The run-time variable that selects the mutant; 0 for none. */
const CHOSEN = "globalThis.chosenMutant";

/**
 * Compiles all given mutants into a file's text. The run-time variable selects one of them: each changed piece becomes
 * `(chosen === 3 ? changed : original)`.
 */
export function compileMutants(text: string, mutants: readonly NumberedMutant[]): string {
  const places = placesOf(mutants);
  const write = (start: number, end: number, inside: readonly Place[]): string => {
    let written = "";
    let at = start;
    for (const place of inside.filter((one) => !inside.some((other) => other !== one && contains(other, one)))) {
      const within = inside.filter((one) => one !== place && contains(place, one));
      written += text.slice(at, place.start) + choice(text, place, write(place.start, place.end, within));
      at = place.end;
    }
    return written + text.slice(at, end);
  };
  return write(0, text.length, places);
}

/** A piece of the text that has several versions. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly isStatement: boolean;
  readonly mutants: NumberedMutant[];
}

function placesOf(mutants: readonly NumberedMutant[]): Place[] {
  const places = new Map<string, Place>();
  for (const numbered of mutants) {
    const { around, isStatement } = numbered[1];
    const key = `${around.start}-${around.end}`;
    const place = places.get(key) ?? { ...around, isStatement, mutants: [] };
    place.mutants.push(numbered);
    places.set(key, place);
  }
  return [...places.values()].sort((one, other) => one.start - other.start);
}

function contains(outer: Place, inner: Place): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function choice(text: string, { start, end, isStatement, mutants }: Place, asItWas: string): string {
  if (isStatement) {
    const isThere = mutants.map(([number]) => `${CHOSEN} !== ${number}`).join(" && ");
    // Closed, so that an `else` after it still belongs to its `if`.
    return `{ if (${isThere}) { ${asItWas} } }`;
  }
  const changed = mutants.map(([number, mutant]) => {
    const version = text.slice(start, mutant.start) + mutant.replacement + text.slice(mutant.end, end);
    return `${CHOSEN} === ${number} ? (${version}) : `;
  });
  return `(${changed.join("")}(${asItWas}))`;
}
