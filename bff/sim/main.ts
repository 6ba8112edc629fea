/**
 * Plays whole lives of the service in a world that fails, and looks after each step whether everything that must hold does.
 *
 *     pnpm sim [--seed N] [--lives N] [--minutes N] [--until-fails] [--steps 3,7!,12-] [--json]
 *
 * Lives are played from the seed on, one for each number; without a seed, from one of this moment, which is printed. A life
 * that fails is made shorter and printed with the command that plays it again; the exit code is 1. See docs/simulation.md.
 */
import { parseArgs } from "node:util";
import { type LifePlan, planLife, type Step } from "./life-plan.ts";
import { type LifeCounts, type LifeOutcome, playLife } from "./play-life.ts";
import { readSteps, shrinkLife, writeSteps } from "./shrink-life.ts";
import { type Ground, openGround } from "./world.ts";

const LIVES_DEFAULT = 100;
const SEEDS = 1_000_000_000;
/** Lines of the trace that are printed of a life that failed. */
const TRACE_LINES = 60;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    lives: { type: "string" },
    minutes: { type: "string" },
    steps: { type: "string" },
    "until-fails": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

const firstSeed = readCount(values.seed) ?? Date.now() % SEEDS;
const endless = values["until-fails"] || values.minutes !== undefined;
const livesMax =
  readCount(values.lives) ?? (endless ? Number.POSITIVE_INFINITY : values.steps === undefined ? LIVES_DEFAULT : 1);
const endsAt =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;

function readCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`${text} is no whole number.`);
  return count;
}

function planOf(seed: number): LifePlan {
  const whole = planLife(seed);
  return values.steps === undefined ? whole : readSteps(whole, values.steps);
}

async function tellFailure(ground: Ground, plan: LifePlan, outcome: LifeOutcome): Promise<void> {
  say(`\nseed ${plan.seed} fails:`);
  for (const violation of outcome.violations.slice(0, 10)) say(`  ${violation}`);
  if (values.json) return;
  const steps = values.steps === undefined ? "" : ` --steps '${values.steps}'`;
  say(`\nPlay it again:\n  pnpm sim --seed ${plan.seed} --lives 1${steps}\n\nIt is made shorter …`);
  const shorter = await shrinkLife(plan, outcome, (candidate) => playLife(ground, candidate));
  const last = await playLife(ground, shorter);
  say(`\nThe shortest life found that fails so, ${shorter.steps.length} of ${plan.steps.length} steps:`);
  for (const step of shorter.steps) say(`  ${describeStep(step)}`);
  say(`\nThe end of its trace (${last.fingerprint}):`);
  for (const line of last.tail.slice(-TRACE_LINES)) say(`  ${line}`);
  say(
    `\nPlay the shorter one again:\n  pnpm sim --seed ${plan.seed} --steps '${writeSteps(planLife(plan.seed), shorter)}'`,
  );
}

function describeStep({ number, happening, on, alongside, troubles }: Step): string {
  const { does, ...rest } = happening;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  const wrong = troubles.map((trouble) => `${trouble.kind} at ${trouble.of ?? trouble.at} ${trouble.number}`);
  const parts = [does, ...details, `on instance ${on}`, ...(alongside ? ["with another beside it"] : []), ...wrong];
  return `${number}: ${parts.join(", ")}`;
}

async function main(): Promise<number> {
  const ground = await openGround();
  const begun = performance.now();
  const totals: Record<keyof LifeCounts, number> = {
    orders: 0,
    paid: 0,
    collected: 0,
    refunds: 0,
    deaths: 0,
    acknowledged: 0,
  };
  let lives = 0;
  let failed = 0;
  say(`seed ${firstSeed}`);
  let fingerprint = "";
  while (lives < livesMax && performance.now() < endsAt) {
    const plan = planOf(firstSeed + lives);
    const outcome = await playLife(ground, plan);
    lives += 1;
    fingerprint = outcome.fingerprint;
    totals.orders += outcome.counts.orders;
    totals.paid += outcome.counts.paid;
    totals.collected += outcome.counts.collected;
    totals.refunds += outcome.counts.refunds;
    totals.deaths += outcome.counts.deaths;
    totals.acknowledged += outcome.counts.acknowledged;
    if (lives % 100 === 0) say(`${lives} lives, ${failed} failed`);
    if (outcome.violations.length === 0) continue;
    failed += 1;
    await tellFailure(ground, plan, outcome);
    if (values["until-fails"]) break;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const numbers = {
    lives,
    violations: failed,
    seed: firstSeed,
    ...totals,
    lives_per_second: Number((lives / seconds).toFixed(2)),
  };
  if (values.json) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  else {
    say(`${lives} lives, ${failed} failed, ${numbers.lives_per_second} lives a second`);
    say(
      Object.entries(totals)
        .map(([name, count]) => `${name} ${count}`)
        .join(", "),
    );
    if (lives === 1) say(`trace ${fingerprint}`);
  }
  return failed === 0 ? 0 : 1;
}

// What dead processes of the simulation wait for would keep this one alive.
process.exit(await main());
