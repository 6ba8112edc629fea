import type { EndLine } from "./ends.ts";
import type { DeployPlan } from "./life-plan.ts";

/**
 * A deliberate change of behaviour since the previous version. Lives that began on that version may end differently
 * because of it.
 */
export interface DeliberateDifference {
  /** The lines of the results that differ because of it. */
  readonly lines: RegExp;
  /** A scene that shows it, and the step of its deploy. */
  readonly scene: string;
  readonly deploy: DeployPlan;
  readonly why: string;
}

/**
 * The differences of this version. Remove each after the next release: the comparison fails for a difference that no
 * longer shows.
 */
export const DELIBERATE_DIFFERENCES: readonly DeliberateDifference[] = [];

/** The lines that no difference explains. */
export function unexplained(lines: readonly EndLine[], differences: readonly DeliberateDifference[]): EndLine[] {
  return lines.filter((line) => !differences.some((difference) => difference.lines.test(line)));
}

/** The differences that do not show in their own scenes. `apart` has the differing lines of each life, by name. */
export function notShown(
  apart: ReadonlyMap<string, readonly EndLine[]>,
  differences: readonly DeliberateDifference[],
): DeliberateDifference[] {
  return differences.filter(({ scene, lines }) => !(apart.get(scene) ?? []).some((line) => lines.test(line)));
}
