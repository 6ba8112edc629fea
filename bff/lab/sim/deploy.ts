import type { LifePlan } from "./life-plan.ts";
import type { World } from "./world.ts";

/**
 * Steps after the start of a deploy at which its first process is replaced. The others follow once an old one has
 * played a step.
 */
const FIRST_AFTER = 1;
const ALL_AFTER = 3;

/**
 * The actions of a deploy before a step. The database is migrated, and three steps are played while old and new
 * processes run together. An old process plays the first on the new schema, the first new process plays the second, and
 * an old process plays the third with the new one's rows. These steps are never postponed. With `all at once`, no old
 * process sees the new schema or its rows, because some migrations require that.
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
