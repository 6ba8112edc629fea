/** Numbers from 0 to 1 (excluding 1), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The item at a relative position from 0 up to, but not including, 1. */
export function itemAt<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[Math.floor(at * items.length)];
}
