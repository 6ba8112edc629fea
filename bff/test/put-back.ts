import { onTestFinished } from "vitest";

/** The spy, which is put back at the latest when its test ends, so that it changes no other test if this one fails. */
export function untilTestEnds<Spy extends { mockRestore(): unknown }>(spy: Spy): Spy {
  onTestFinished(() => void spy.mockRestore());
  return spy;
}
