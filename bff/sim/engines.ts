/**
 * Plays the same lives on PGlite and on PostgreSQL, and compares how they end: books, orders, events, deliveries, notices, and the
 * outside parties' lists.
 *
 *     pnpm --filter bff engines [--seed N] [--lives N]
 *
 * All scenes, and so many lives from the seed on without their troubles: where a trouble strikes depends on what is done at the same time,
 * and that is not the same on a database that is asked over a socket. See docs/simulation.md.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { endOf, endsApart } from "./ends.ts";
import { type LifePlan, planLife } from "./life-plan.ts";
import { playLife } from "./play-life.ts";
import { SCENES } from "./scenes.ts";
import { openGround } from "./world.ts";

const LIVES_DEFAULT = 4;
const SEEDS = 1_000_000_000;
const LINES_SHOWN = 12;

const { values } = parseArgs({
  options: { seed: { type: "string" }, lives: { type: "string" }, play: { type: "boolean", default: false } },
});
const count = z.coerce.number().int().min(0);
const seed = count.parse(values.seed ?? Date.now() % SEEDS);
const lives = count.parse(values.lives ?? LIVES_DEFAULT);

const playedSchema = z.array(z.object({ name: z.string(), end: z.array(z.string()), violations: z.array(z.string()) }));
type Played = z.infer<typeof playedSchema>;

const say = (text: string) => process.stdout.write(`${text}\n`);

function plans(): [name: string, plan: LifePlan][] {
  const drawn = Array.from({ length: lives }, (_, number) => planLife(seed + number));
  return [...Object.entries(SCENES), ...drawn.map((plan): [string, LifePlan] => [`seed ${plan.seed}`, calm(plan)])];
}

function calm(plan: LifePlan): LifePlan {
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, alongside: false, troubles: [] })) };
}

/** In a process of its own, on the database that its environment names. */
async function play(): Promise<void> {
  const ground = await openGround();
  const played: Played = [];
  for (const [name, plan] of plans()) {
    const { facts, violations } = await playLife(ground, plan);
    played.push({ name, end: endOf(facts), violations: [...violations] });
  }
  await new Promise((told) => process.send?.(played, told));
}

async function playOn(database: "pglite" | "postgres"): Promise<Played> {
  const args = ["--play", "--seed", String(seed), "--lives", String(lives)];
  const player = fork(fileURLToPath(import.meta.url), args, { env: { ...process.env, TEST_DATABASE: database } });
  const ended = once(player, "exit");
  const told = await Promise.race([once(player, "message"), ended.then(() => null)]);
  if (told === null) throw new Error(`The lives on ${database} ended before they were told.`);
  await ended;
  return playedSchema.parse(told[0]);
}

function tellDifference(name: string, { only, lacking }: ReturnType<typeof endsApart>): void {
  say(`\n${name}\n  on PGlite and not on PostgreSQL:`);
  for (const line of only.slice(0, LINES_SHOWN)) say(`    ${line}`);
  say("  on PostgreSQL and not on PGlite:");
  for (const line of lacking.slice(0, LINES_SHOWN)) say(`    ${line}`);
}

async function compare(): Promise<number> {
  say(`seed ${seed}`);
  const [embedded, server] = await Promise.all([playOn("pglite"), playOn("postgres")]);
  let differing = 0;
  for (const [number, { name, end, violations }] of embedded.entries()) {
    const other = server[number];
    const apart = endsApart(end, other?.end ?? []);
    const wrong = [...violations, ...(other?.violations ?? ["not played"])];
    for (const violation of wrong) say(`\n${name}: ${violation}`);
    if (apart.only.length + apart.lacking.length > 0) tellDifference(name, apart);
    if (apart.only.length + apart.lacking.length + wrong.length > 0 || end.length === 0) differing += 1;
  }
  const lines = embedded.reduce((sum, { end }) => sum + end.length, 0);
  say(`${embedded.length} lives on both databases, ${lines} things of their ends compared, ${differing} lives differ`);
  return differing === 0 ? 0 : 1;
}

if (values.play) await play();
// What dead processes of the simulation wait for would keep this one alive.
process.exit(values.play ? 0 : await compare());
