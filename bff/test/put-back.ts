import { onTestFinished } from "vitest";

/** A spy that is restored at the latest when its test ends, so that a failure does not affect other tests. */
export function untilTestEnds<Spy extends { mockRestore(): unknown }>(spy: Spy): Spy {
  onTestFinished(() => void spy.mockRestore());
  return spy;
}
