/**
 * Simulates whole orders while parties, networks and processes fail, and checks the invariants after each step.
 *
 *     pnpm sim [--seed N] [--lives N] [--minutes N] [--until-fails] [--jobs N] [--steps 3,7!,12-] [--coverage] [--json]
 *     pnpm sim --outages [--outage 'card processor'] [--lives N]
 *     pnpm sim --cell 'cardProcessor.charge × slow'
 *
 * Plays one life for each number from the seed on. Without `--seed`, a new seed is drawn and printed. A failing life is
 * shortened and printed with the command that replays it; the exit code is 1. `--jobs` processes share the lives.
 *
 * With `--coverage`, scenes aim at the uncovered cells. It prints which transitions and calls each fault has hit, and
 * exits with 1 if a combination is missing. With `--cell` only the scenes are played, aimed at the cells whose names
 * contain the text. With `--outages` something breaks, and production's alerts must report it. See lab/README.md.
 */
import { fileURLToPath } from "node:url";
import { readCommandLine, seedFrom, wholeNumber } from "../command-line.ts";
import { type AimedLife, aimAt } from "./aim.ts";
import { allCells, describeCoverage, emptyCells, isCell, type Met } from "./coverage.ts";
import { type LifePlan, planLife, type Step } from "./life-plan.ts";
import { playOutages } from "./outages/play-outages.ts";
import { type LifeOutcome, playLife } from "./play-life.ts";
import { type LifeNumbers, shareLives, tellWhoShares } from "./share-lives.ts";
import { readSteps, shrinkLife, writeSteps } from "./shrink-life.ts";
import { type Ground, openGround } from "./world.ts";

const LIVES_DEFAULT = 100;
/** The maximum number of trace lines that are printed for a failed life. */
const TRACE_LINES = 60;

const { values } = readCommandLine(import.meta.filename, {
  options: {
    seed: { type: "string" },
    lives: { type: "string" },
    minutes: { type: "string" },
    steps: { type: "string" },
    "until-fails": { type: "boolean", default: false },
    jobs: { type: "string" },
    /** Plays only every n-th seed: the share of one of several processes. */
    every: { type: "string" },
    coverage: { type: "boolean", default: false },
    cell: { type: "string" },
    outages: { type: "boolean", default: false },
    outage: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

const firstSeed = seedFrom(values.seed);
const every = wholeNumber("--every", values.every, 1);
const jobs = values.steps === undefined ? wholeNumber("--jobs", values.jobs, 1) : 1;
const endless = values["until-fails"] || values.minutes !== undefined;
const livesMax = wholeNumber("--lives", values.lives, livesByDefault());
const endsAt = performance.now() + wholeNumber("--minutes", values.minutes, Number.POSITIVE_INFINITY) * 60_000;

function livesByDefault(): number {
  if (endless) return Number.POSITIVE_INFINITY;
  return values.steps === undefined ? LIVES_DEFAULT : 1;
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
  const details = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const wrong = troubles.map((trouble) => `${trouble.kind} at ${trouble.of ?? trouble.at} ${trouble.number}`);
  const parts = [
    does,
    ...details,
    `on instance ${on}`,
    ...(alongside ? ["with another at the same time"] : []),
    ...wrong,
  ];
  return `${number}: ${parts.join(", ")}`;
}

type Totals = LifeNumbers & { readonly lives: number; readonly violations: number };

async function playAll(): Promise<Totals> {
  const ground = await openGround();
  const totals = new Map<string, number>();
  let lives = 0;
  let violations = 0;
  while (lives < livesMax && performance.now() < endsAt) {
    const plan = planOf(firstSeed + lives * every);
    const outcome = await playLife(ground, plan);
    lives += 1;
    if (livesMax === 1) say(`trace ${outcome.fingerprint}`);
    addTo(totals, outcome);
    if (lives % 100 === 0) say(`${lives} lives, ${violations} failed`);
    if (outcome.violations.length === 0) continue;
    violations += 1;
    await tellFailure(ground, plan, outcome);
    if (values["until-fails"]) break;
  }
  return { lives, violations, ...Object.fromEntries(totals) };
}

function addTo(totals: Map<string, number>, { counts, met }: LifeOutcome): void {
  for (const [name, count] of [...Object.entries(counts), ...met]) totals.set(name, (totals.get(name) ?? 0) + count);
}

/** Plays scenes that aim at these cells. */
async function playAimed(cells: readonly string[]): Promise<Totals> {
  const ground = await openGround();
  const totals = new Map<string, number>();
  let lives = 0;
  let violations = 0;
  const tell = (life: AimedLife) => {
    lives += 1;
    addTo(totals, life.outcome);
    if (lives % 100 === 0) say(`${lives} scenes, ${violations} failed`);
    if (life.outcome.violations.length === 0) return;
    violations += 1;
    tellAimedFailure(life);
  };
  await aimAt(cells, (plan) => playLife(ground, plan), tell);
  return { lives, violations, ...Object.fromEntries(totals) };
}

function tellAimedFailure({ name, plan, outcome }: AimedLife): void {
  say(`\nThe scene fails: ${name}`);
  for (const violation of outcome.violations.slice(0, 10)) say(`  ${violation}`);
  for (const step of plan.steps) say(`  ${describeStep(step)}`);
  say(`\nThe end of its trace (${outcome.fingerprint}):`);
  for (const line of outcome.tail.slice(-TRACE_LINES)) say(`  ${line}`);
}

/** Each process takes every n-th seed. */
function playShared(): Promise<LifeNumbers> {
  const common = [
    ...(values.minutes === undefined ? [] : ["--minutes", values.minutes]),
    ...(values["until-fails"] ? ["--until-fails"] : []),
    ...(values.json ? ["--json"] : []),
  ];
  const parts = Array.from({ length: jobs }, (_, job) => {
    const lives = Number.isFinite(livesMax) ? ["--lives", String(Math.ceil((livesMax - job) / jobs))] : [];
    return ["--seed", String(firstSeed + job), "--every", String(jobs), ...lives, ...common];
  });
  return shareLives(fileURLToPath(import.meta.url), parts, { untilFails: values["until-fails"] });
}

/** Checks that production's alerts report each outage, and nothing without an outage. */
async function mainOfOutages(only: string): Promise<number> {
  const lives = wholeNumber("--lives", values.lives, 0);
  const wrong = await playOutages(await openGround(), { only, lives, seed: String(firstSeed), say });
  say(wrong === "" ? "The alerts say what broke, and nothing else." : wrong);
  return wrong === "" ? 0 : 1;
}

async function main(): Promise<number> {
  if (values.outages) return mainOfOutages(values.outage ?? "");
  if (values.cell !== undefined) return mainOfCells(allCells().filter((cell) => cell.includes(values.cell ?? "")));
  if (values.every === undefined) say(`seed ${firstSeed}`);
  const begun = performance.now();
  const drawn = await (jobs > 1 ? playShared() : playAll());
  if (values.every !== undefined && (await tellWhoShares(drawn))) return (drawn.violations ?? 0) > 0 ? 1 : 0;
  const aimed = values.coverage ? await playAimed(emptyCells(apart(drawn).met)) : {};
  const { lives = 0, violations = 0, ...totals } = sumOf(drawn, aimed);
  const failed = violations > 0 ? 1 : 0;
  const { counts, met } = apart(totals);
  const empty = values.coverage ? emptyCells(met) : [];
  const lives_per_second = Number((lives / ((performance.now() - begun) / 1_000)).toFixed(2));
  const coverage = values.coverage ? { met: Object.fromEntries(met), empty } : {};
  const numbers = { lives, violations, seed: firstSeed, ...counts, lives_per_second, ...coverage };
  if (values.json) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  say(`${lives} lives, ${violations} failed, ${lives_per_second} lives a second`);
  say(
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(", "),
  );
  if (values.coverage) {
    say(`\n${describeCoverage(met)}`);
    say(`\nNever met: ${empty.length === 0 ? "nothing" : `${empty.length} cells\n  ${empty.join("\n  ")}`}`);
  }
  return failed === 1 || empty.length > 0 ? 1 : 0;
}

/** Plays only scenes that aim at these cells. */
async function mainOfCells(cells: readonly string[]): Promise<number> {
  const { lives, violations, ...totals } = await playAimed(cells);
  const { met } = apart(totals);
  const empty = cells.filter((cell) => !met.has(cell));
  say(`${lives} scenes, ${violations} failed; of ${cells.length} cells never met: ${empty.join(", ") || "none"}`);
  return violations > 0 || empty.length > 0 || cells.length === 0 ? 1 : 0;
}

function sumOf(one: LifeNumbers, other: LifeNumbers): LifeNumbers {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** Separates the counts of lives from those of the coverage's cells. */
function apart(totals: LifeNumbers): { readonly counts: LifeNumbers; readonly met: Met } {
  const entries = Object.entries(totals);
  return {
    counts: Object.fromEntries(entries.filter(([name]) => !isCell(name))),
    met: new Map(entries.filter(([name]) => isCell(name))),
  };
}

// Pending promises of the simulation's dead processes would keep this one alive.
process.exit(await main());
