import { onTestFinished } from "vitest";

/** A spy that is restored when its test ends at the latest, so that a failure does not affect other tests. */
export function untilTestEnds<Spy extends { mockRestore(): unknown }>(spy: Spy): Spy {
  onTestFinished(() => void spy.mockRestore());
  return spy;
}
