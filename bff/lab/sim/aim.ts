import { readCell } from "./coverage.ts";
import type { LifePlan } from "./life-plan.ts";
import type { LifeOutcome } from "./play-life.ts";
import { SCENES, type Scenes } from "./scenes.ts";
import type { Moment, Trouble } from "./trouble.ts";

/*
 * Covers the cells that lives do not hit by chance. Each scene is first played without faults, to find
 * the step in which it takes each line of a table. It is then played once for each empty cell, with a fault at that
 * statement or call.
 */

/** A scene, and where it first hits a line of the coverage. */
interface Target {
  readonly scene: string;
  readonly plan: LifePlan;
  readonly moment: Moment;
}

/** A life that was played to hit certain cells. */
export interface AimedLife {
  /** The scene's life: without faults, or with one at the targeted cell. */
  readonly name: string;
  readonly plan: LifePlan;
  readonly outcome: LifeOutcome;
}

/** The maximum number of scenes per cell. In a scene whose earlier calls differ, the fault may have no effect. */
const TRIES_MAX = 3;

/**
 * Plays the scenes, and then aims at each of these cells until it is covered, or none of the scenes can cover it.
 * Reports each life.
 */
export async function aimAt(
  cells: readonly string[],
  play: (plan: LifePlan) => Promise<LifeOutcome>,
  tell: (life: AimedLife) => void,
  scenes: Scenes = SCENES,
): Promise<void> {
  const met = new Set<string>();
  const playNoting = async (name: string, plan: LifePlan) => {
    const outcome = await play(plan);
    for (const cell of outcome.met.keys()) met.add(cell);
    tell({ name, plan, outcome });
    return outcome;
  };
  const targets = new Map<string, Target[]>();
  for (const [scene, plan] of Object.entries(scenes)) {
    const { moments } = await playNoting(scene, plan);
    for (const [line, moment] of moments) targets.set(line, [...(targets.get(line) ?? []), { scene, plan, moment }]);
  }
  for (const cell of cells) {
    const { line, trouble } = readCell(cell);
    for (const { scene, plan, moment } of (targets.get(line) ?? []).slice(0, TRIES_MAX)) {
      if (met.has(cell) || trouble === null) break;
      await playNoting(`${scene}, with ${cell}`, withTrouble(plan, moment, trouble));
    }
  }
}

/** The scene with this fault at this place, before its own. */
function withTrouble(plan: LifePlan, { step, at, number, of }: Moment, kind: Trouble["kind"]): LifePlan {
  const trouble = { at, kind, number, ...(of !== null && { of }) } as Trouble;
  return {
    ...plan,
    steps: plan.steps.map((each) => (each.number === step ? { ...each, troubles: [trouble, ...each.troubles] } : each)),
  };
}
