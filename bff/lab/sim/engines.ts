/**
 * Plays the same lives twice, and compares their ends: books, orders, events, deliveries, notices, and the outside
 * parties' lists.
 *
 *     pnpm --filter bff engines [--seed N] [--lives N]             on PGlite and on PostgreSQL
 *     pnpm --filter bff engines --before last [--seed N] …         started with the previous version, and with this one throughout
 *     pnpm --filter bff engines --before <commit> [--only <part of a name>] [--deploy-at <step> [--at-once]]
 *
 * Plays all scenes, and `--lives` lives from the seed on without their faults: where a fault occurs depends on
 * concurrent work, which differs on a database behind a socket. See lab/README.md.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { readCommandLine, seedFrom, wholeNumber } from "../command-line.ts";
import { DELIBERATE_DIFFERENCES, notShown, unexplained } from "./deliberate-differences.ts";
import { type EndLine, endOf, endsApart } from "./ends.ts";
import { openGroundBefore } from "./ground-before.ts";
import { INSTANCES, type LifePlan, planLife } from "./life-plan.ts";
import { playLife } from "./play-life.ts";
import { randomOf } from "./random.ts";
import { SCENES } from "./scenes.ts";
import { commitOf, loadVersion, unpack, unpackVersionBefore } from "./version-before.ts";
import { openGround } from "./world.ts";

const LIVES_DEFAULT = 4;
const LINES_SHOWN = 12;

const { values } = readCommandLine(import.meta.filename, {
  options: {
    seed: { type: "string" },
    lives: { type: "string" },
    before: { type: "string" },
    only: { type: "string", default: "" },
    "deploy-at": { type: "string" },
    "at-once": { type: "boolean", default: false },
    play: { type: "boolean", default: false },
    /** The folder of the version with which a player starts. */
    from: { type: "string" },
  },
});
const seed = seedFrom(values.seed);
const lives = wholeNumber("--lives", values.lives, LIVES_DEFAULT);
const deployAt = wholeNumber("--deploy-at", values["deploy-at"], undefined);

const playedSchema = z.array(z.object({ name: z.string(), end: z.array(z.string()), violations: z.array(z.string()) }));
type Played = z.infer<typeof playedSchema>;

const say = (text: string) => process.stdout.write(`${text}\n`);

function plans(): [name: string, plan: LifePlan][] {
  const drawn = Array.from({ length: lives }, (_, number) => planLife(seed + number));
  const all = [
    ...Object.entries(SCENES),
    ...drawn.map((plan): [string, LifePlan] => [`seed ${plan.seed}`, calm(plan)]),
  ];
  const wanted = all.filter(([name]) => name.includes(values.only));
  return values.before === undefined ? wanted : wanted.map(([name, plan]) => [name, deployed(name, plan)]);
}

function calm(plan: LifePlan): LifePlan {
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, alongside: false, troubles: [] })) };
}

/**
 * Plays the life with a deploy at a step drawn from the seed, or at rest. Processes take turns, so that both versions
 * play.
 */
function deployed(name: string, plan: LifePlan): LifePlan {
  const random = randomOf(`deploy:${seed}:${name}`);
  const drawn = { at: 1 + random.below(plan.steps.length), isAtOnce: random.percent(50) };
  const wanted = deployAt === undefined ? undefined : { at: deployAt, isAtOnce: values["at-once"] };
  const listed = DELIBERATE_DIFFERENCES.find(({ scene }) => scene === name)?.deploy;
  const steps = plan.steps.map((step) => ({ ...step, on: step.number % INSTANCES }));
  return { ...plan, steps, deploy: wanted ?? listed ?? drawn };
}

/** Runs in a child process, on the database in its environment. */
async function play(): Promise<void> {
  const { TEST_DATABASE_URL: serverUrl = "" } = process.env;
  const ground =
    values.from === undefined ? await openGround() : await openGroundBefore(await loadVersion(values.from), serverUrl);
  const played: Played = [];
  for (const [name, plan] of plans()) {
    const { facts, violations, failedBefore } = await playLife(ground, plan);
    const end = [...endOf(facts), ...failedBefore.map((text) => `failure ${text}`)];
    played.push({ name, end, violations: [...violations] });
  }
  await ground.close();
  await new Promise((expected) => process.send?.(played, expected));
}

/** One of the two child processes that play lives. */
interface Player {
  readonly called: string;
  readonly database: "pglite" | "postgres";
  readonly args: readonly string[];
}

async function playAs({ called, database, args }: Player): Promise<Played> {
  const own = ["--play", ...process.argv.slice(2), "--seed", String(seed), ...args];
  const player = fork(fileURLToPath(import.meta.url), own, { env: { ...process.env, TEST_DATABASE: database } });
  const ended = once(player, "exit");
  const expected = await Promise.race([once(player, "message"), ended.then(() => null)]);
  if (expected === null) throw new Error(`The lives ${called} ended before they were reported.`);
  await ended;
  return playedSchema.parse(expected[0]);
}

function tellDifference(name: string, lines: readonly (readonly [of: Player, only: readonly EndLine[]])[]): void {
  say(`\n${name}`);
  for (const [{ called }, only] of lines) {
    say(`  only ${called}:`);
    for (const line of only.slice(0, LINES_SHOWN)) say(`    ${line}`);
  }
}

async function compare(one: Player, other: Player, differences: typeof DELIBERATE_DIFFERENCES): Promise<number> {
  const [ones, others] = await Promise.all([playAs(one), playAs(other)]);
  const allApart = new Map<string, readonly EndLine[]>();
  let differing = 0;
  for (const [number, { name, end, violations }] of ones.entries()) {
    const matching = others[number];
    const apart = endsApart(end, matching?.end ?? []);
    allApart.set(name, [...apart.only, ...apart.lacking]);
    const only = unexplained(apart.only, differences);
    const lacking = unexplained(apart.lacking, differences);
    const wrong = [
      ...violations.map((violation) => `${one.called}: ${violation}`),
      ...(matching?.violations ?? ["not played"]).map((violation) => `${other.called}: ${violation}`),
    ];
    for (const violation of wrong) say(`\n${name}, ${violation}`);
    if (only.length + lacking.length > 0)
      tellDifference(name, [
        [one, only],
        [other, lacking],
      ]);
    if (only.length + lacking.length + wrong.length > 0 || end.length === 0) differing += 1;
  }
  const outdated = notShown(
    allApart,
    differences.filter(({ scene }) => scene.includes(values.only)),
  );
  for (const { scene, why } of outdated) say(`\n${scene}: this difference is listed, and is not there: ${why}`);
  const lines = ones.reduce((sum, { end }) => sum + end.length, 0);
  say(
    `${ones.length} lives ${one.called} and ${other.called}, ${lines} things of their ends compared, ${differing} lives differ`,
  );
  return differing + outdated.length === 0 ? 0 : 1;
}

const ON_PGLITE: Player = { called: "on PGlite", database: "pglite", args: [] };
const ON_POSTGRES: Player = { called: "on PostgreSQL", database: "postgres", args: [] };

function compareDatabases(): Promise<number> {
  say(`seed ${seed}`);
  return compare(ON_PGLITE, ON_POSTGRES, []);
}

async function unpackVersion(wanted: string) {
  if (wanted === "last") return unpackVersionBefore();
  const version = commitOf(wanted);
  return { ...version, folder: await unpack(version) };
}

/** Both versions use PostgreSQL, whose connections cache the schema. */
async function compareWithVersionBefore(wanted: string): Promise<number> {
  const { folder, ...version } = await unpackVersion(wanted);
  say(`seed ${seed}; the version before is ${version.commit.slice(0, 8)}: ${version.why}`);
  try {
    const begun: Player = { called: "begun with the version before", database: "postgres", args: ["--from", folder] };
    return await compare(begun, { ...ON_POSTGRES, called: "with this version all along" }, DELIBERATE_DIFFERENCES);
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (values.play) await play();
// Pending promises of the simulation's dead processes would keep this one alive.
process.exit(
  values.play
    ? 0
    : values.before === undefined
      ? await compareDatabases()
      : await compareWithVersionBefore(values.before),
);
