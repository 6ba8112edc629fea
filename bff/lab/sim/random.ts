/** Random choices. The same seed gives the same choices in the same order of requests. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** True in this many of a hundred cases. */
  percent(chance: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Mulberry32 over a hash of the seed's text: fast, and the same on every machine. */
export function randomOf(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    percent: (chance) => next() * 100 < chance,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
