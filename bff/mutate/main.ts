/**
 * Changes one expression of the service at a time, and runs the tests that reach it: those that still pass do not miss it.
 *
 *     pnpm mutate [path…] [--sample N] [--seed N] [--jobs N] [--least SCORE] [--json]
 *
 * A path is a folder or file below `bff` (`src/webhooks`); without one the whole service is meant. `--sample` draws so many
 * mutants by the seed; without it all are tried. The last lines are the score of each room; with `--least` the exit code is 1
 * where fewer of all are noticed. See docs/mutation.md.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomOf } from "../sim/random.ts";
import { findMutants, type Mutant } from "./find-mutants.ts";
import { functionName } from "./plugins.ts";
import { type Reach, readReach } from "./reach.ts";
import { runTests } from "./run-tests.ts";

const SEEDS = 1_000_000_000;
const folder = fileURLToPath(new URL("..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "2" },
    least: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
  },
});

type Verdict = "noticed" | "survived" | "not_reached";

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

/** Files of the service that decide or do something; what only describes (docs' pages, types of tables) has no mutants. */
function filesAt(paths: readonly string[]): string[] {
  const below = (path: string): string[] =>
    statSync(join(folder, path)).isFile()
      ? [path]
      : readdirSync(join(folder, path), { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  return paths
    .flatMap(below)
    .filter((file) => file.startsWith("src/") && file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => !/^src\/(partner-docs|contract)\/|\/tables\.ts$/.test(file))
    .sort();
}

function drawn(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = randomOf(`mutants:${seed}`);
  const left = [...mutants];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat();
}

/** What is at the top of a file runs when the file is loaded: every test that reaches any of its functions may notice it. */
function testsFor({ file, inFunction }: Mutant, reach: Reach): string[] {
  if (inFunction !== null) return [...(reach.get(functionName(file, inFunction)) ?? [])];
  const all = [...reach].filter(([name]) => name.startsWith(`${file}#`)).flatMap(([, tests]) => [...tests]);
  return [...new Set(all)];
}

async function judge(mutant: Mutant, reach: Reach): Promise<Verdict> {
  const tests = testsFor(mutant, reach);
  if (tests.length === 0) return "not_reached";
  const { file, start, end, replacement } = mutant;
  const { passed } = await runTests(folder, tests, { MUTANT: JSON.stringify({ file, start, end, replacement }) });
  return passed ? "survived" : "noticed";
}

function roomOf({ file }: Mutant): string {
  return file.split("/").slice(1, -1).slice(0, 2).join("/") || "src";
}

async function main(): Promise<number> {
  const seed = values.seed === undefined ? Date.now() % SEEDS : Number(values.seed);
  const paths = positionals.length > 0 ? positionals : ["src"];
  const all = filesAt(paths).flatMap((file) => findMutants(file, readFileSync(join(folder, file), "utf8")));
  const chosen = values.sample === undefined ? all : drawn(all, Number(values.sample), seed);
  say(`seed ${seed}: ${chosen.length} of ${all.length} mutants`);
  const reach = await readReach(folder, say);

  const verdicts = new Map<Mutant, Verdict>();
  const waiting = [...chosen];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const verdict = await judge(mutant, reach);
      verdicts.set(mutant, verdict);
      if (verdict !== "noticed") say(`${verdict.padEnd(11)} ${mutant.file}:${mutant.line}  ${mutant.change}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));

  const rooms = [...new Set(chosen.map(roomOf))].sort().map((room) => {
    const mutants = chosen.filter((mutant) => roomOf(mutant) === room);
    const noticed = mutants.filter((mutant) => verdicts.get(mutant) === "noticed").length;
    return { room, mutants: mutants.length, noticed, score: Number((noticed / mutants.length).toFixed(2)) };
  });
  for (const { room, mutants, noticed, score } of rooms)
    say(`${room.padEnd(28)} ${String(noticed).padStart(4)} of ${String(mutants).padStart(4)}  ${score.toFixed(2)}`);
  const survivors = chosen.filter((mutant) => verdicts.get(mutant) !== "noticed");
  const numbers = { seed, mutants: chosen.length, noticed: chosen.length - survivors.length };
  if (values.json) process.stdout.write(`${JSON.stringify({ ...numbers, rooms, survivors })}\n`);
  return numbers.noticed >= chosen.length * Number(values.least) ? 0 : 1;
}

process.exitCode = await main();
