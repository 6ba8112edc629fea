import type { LifePlan } from "./life-plan.ts";
import type { World } from "./world.ts";

/**
 * Steps after the beginning of a deploy: its first process is replaced, and then, when one of before has played a step,
 * all.
 */
const FIRST_AFTER = 1;
const ALL_AFTER = 3;

/**
 * What a deploy does before a step: the database is migrated, and three steps are played before every process is of
 * this version: at one of before, on the new schema; at the first of this version; and at one of before, which finds
 * what this one has left. Nothing of it is put off until the rest. All at once, no process of before sees the new
 * schema, nor takes what it has left along: that is how it must be where a migration says so.
 */
export async function deployBefore(
  step: number,
  { deploy, steps }: Pick<LifePlan, "deploy" | "steps">,
  world: Pick<World, "instances" | "mustStop" | "migrate" | "replace">,
): Promise<void> {
  if (deploy === undefined) return;
  const end = deploy.at + (deploy.isAtOnce || world.mustStop ? 0 : ALL_AFTER);
  if (step < deploy.at || step > end) return;
  if (step === deploy.at) await world.migrate();
  if (step === end || step === steps.length) {
    for (const number of world.instances.keys()) world.replace(number);
  } else if (step === deploy.at + FIRST_AFTER) {
    world.replace(steps[step]?.on ?? 0);
  }
}
