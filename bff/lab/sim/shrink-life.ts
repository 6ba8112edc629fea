import type { LifePlan, Step } from "./life-plan.ts";
import type { LifeOutcome } from "./play-life.ts";

/** The default maximum number of lives that are played to shorten one. */
const PLAYS_MAX = 150;

/**
 * Removes from a life everything that its failure does not need: first whole runs of steps, then single ones, then
 * faults. A shorter life is kept if it breaks the same invariant first.
 */
export async function shrinkLife(
  plan: LifePlan,
  failure: LifeOutcome,
  play: (plan: LifePlan) => Promise<LifeOutcome>,
  playsMax: number = PLAYS_MAX,
): Promise<LifePlan> {
  const wanted = nameOf(failure);
  let plays = 0;
  const stillFails = async (steps: readonly Step[]) => {
    plays += 1;
    return nameOf(await play({ ...plan, steps })) === wanted;
  };
  const cut = plan.steps.filter(({ number }) => failure.step === null || number <= failure.step);
  let steps: readonly Step[] = (await stillFails(cut)) ? cut : plan.steps;
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1 && plays < playsMax;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let from = 0; from < steps.length && plays < playsMax; ) {
      const fewer = steps.toSpliced(from, size);
      if (await stillFails(fewer)) steps = fewer;
      else from += size;
    }
  for (let index = 0; index < steps.length && plays < playsMax; index += 1) {
    const step = steps[index];
    if (step === undefined) continue;
    for (const simpler of simplerThan(step)) {
      const changed = steps.with(index, simpler);
      if (plays < playsMax && (await stillFails(changed))) steps = changed;
    }
  }
  return { ...plan, steps };
}

function nameOf({ violations }: LifeOutcome): string | null {
  return violations[0]?.split(":")[0] ?? null;
}

function simplerThan(step: Step): Step[] {
  const withoutTroubles = step.troubles.length > 0 ? [{ ...step, troubles: [] }] : [];
  return step.alongside ? [...withoutTroubles, { ...step, alongside: false }] : withoutTroubles;
}

/**
 * The remaining steps in a form that can be typed: numbers of steps, `!` without faults, `-` without a second instance.
 */
export function writeSteps(whole: LifePlan, { steps }: LifePlan): string {
  return steps
    .map((step) => {
      const planned = whole.steps.find(({ number }) => number === step.number);
      const calm = step.troubles.length < (planned?.troubles.length ?? 0) ? "!" : "";
      const lonely = step.alongside === planned?.alongside ? "" : "-";
      return `${step.number}${calm}${lonely}`;
    })
    .join(",");
}

/** Thrown for a list of steps that `writeSteps` did not write. */
export class StepsUnreadable extends Error {
  override readonly name = "StepsUnreadable";
}

/** The life with only these steps. */
export function readSteps(whole: LifePlan, text: string): LifePlan {
  const steps = text.split(",").map((part): Step => {
    const match = /^(\d+)(!?)(-?)$/.exec(part);
    const planned = whole.steps.find(({ number }) => String(number) === match?.[1]);
    if (match === null || planned === undefined) throw new StepsUnreadable(`${part} is no step of this life.`);
    return {
      ...planned,
      ...(match[2] === "!" && { troubles: [] }),
      ...(match[3] === "-" && { alongside: false }),
    };
  });
  return { ...whole, steps };
}
