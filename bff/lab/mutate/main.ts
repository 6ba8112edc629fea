/**
 * Changes one expression of the service at a time, and runs the tests that reach it: those that still pass do not miss it.
 *
 *     pnpm mutate [path…] [--sample N] [--seed N] [--tests PATH]… [--seconds N] [--jobs N] [--least SCORE] [--all] [--json]
 *
 * A path is a folder, a file or a line of one below `bff` (`src/webhooks`, `src/webhooks/routes.ts:21`), or of the widget
 * (`../widget/embed`); without one the whole service is meant. `--sample` draws so many mutants by the seed; without it all are tried. `--tests` names the test files that are
 * asked, all of them without it; `--seconds` how long those may take that are asked about one mutant. `--all` prints what was
 * noticed too, and by what. The last lines are the
 * score of each room; with `--least` the exit code is 1 where fewer of all are noticed. See lab/README.md.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomOf } from "../sim/random.ts";
import { doWork } from "./do-work.ts";
import { isEqual, unknownEqualMutants } from "./equal-mutants.ts";
import { findMutants, type Mutant } from "./find-mutants.ts";
import { isProduct } from "./plugins.ts";
import { type Chosen, chooseTests, readReach } from "./reach.ts";
import { type Job, verdictSchema } from "./work.ts";

const SEEDS = 1_000_000_000;
/** Mutants that are compiled into one process: its start takes as long as several of them. */
const AT_ONCE = 40;
const bff = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    tests: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string", default: "120" },
    jobs: { type: "string", default: "2" },
    least: { type: "string", default: "0" },
    all: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

interface Trial {
  readonly mutant: Mutant;
  readonly chosen: Chosen;
  verdict: "noticed" | "survived" | "unclear" | "not_reached";
}

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

function filesBelow(folder: string, path: string): string[] {
  const whole = join(folder, path);
  const found = statSync(whole).isFile()
    ? [whole]
    : readdirSync(whole, { recursive: true, encoding: "utf8" }).map((name) => join(whole, name));
  return found.map((file) => relative(folder, file)).sort();
}

/** Files of a package that decide or do something; what only describes (docs' pages, types of tables) has no mutants. */
function isChanged(file: string): boolean {
  return isProduct(file) && !/^src\/(partner-docs|contract)\/|\/tables\.ts$/.test(file);
}

function mutantsAt(folder: string, path: string): Mutant[] {
  const [place = path, line] = path.split(":");
  return filesBelow(folder, place)
    .filter(isChanged)
    .flatMap((file) => findMutants(file, readFileSync(join(folder, file), "utf8")))
    .filter((mutant) => line === undefined || mutant.line === Number(line));
}

function testsOf(folder: string): string[] {
  const places = basename(folder) === "widget" ? ["src", "embed"] : ["src", "sandbox", "test/http"];
  return places
    .flatMap((place) => filesBelow(folder, place))
    .filter((file) => /\.test\.tsx?$/.test(file))
    .filter((file) => values.tests.some((path) => file.startsWith(path)));
}

function drawn(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = randomOf(`mutants:${seed}`);
  const left = [...mutants];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat();
}

/** Tries mutants in processes, in each many; one that ends a process, or from which nothing more comes, is noticed. */
async function tryAll(folder: string, trials: readonly Trial[]): Promise<void> {
  const sayProgress = createProgress(trials);
  const waiting = trials
    .map((trial, index) => ({ trial, number: index + 1 }))
    .filter(({ trial }) => trial.verdict !== "not_reached");
  const work = async () => {
    const share = Math.ceil(waiting.length / Number(values.jobs));
    for (;;) {
      const some = waiting.splice(0, Math.min(AT_ONCE, share));
      if (some.length === 0) return;
      const jobs = some.map(({ trial: { mutant, chosen }, number }): Job => ({ number, mutant, ...chosen }));
      let count = 0;
      let isSpoilt = false;
      const output = await doWork(folder, { kind: "judge", jobs }, (line) => {
        const { number, verdict, by } = verdictSchema.parse(line);
        if (verdict === "again") {
          isSpoilt = true;
          return;
        }
        count += 1;
        tell(trials[number - 1], verdict, by);
        sayProgress();
      });
      if (count === 0 && some.length > 1) throw new Error(`No mutant could be tried:\n${output}`);
      const rest = some.slice(count);
      const ended = isSpoilt ? undefined : rest.shift();
      if (ended !== undefined) {
        tell(ended.trial, "noticed", "its process ended");
        sayProgress();
      }
      waiting.unshift(...rest);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
}

function tell(trial: Trial | undefined, verdict: Trial["verdict"], by: string): void {
  if (trial === undefined) return;
  trial.verdict = verdict;
  const { mutant, chosen } = trial;
  const asked = by === "" ? `${chosen.cases} of ${chosen.ofAll} cases` : by;
  if (verdict !== "noticed" || values.all)
    say(`${verdict.padEnd(11)} ${mutant.file}:${mutant.line}  ${mutant.change}  [${asked}]`);
}

/** Says after each tenth how many were tried and noticed, so that a run that is cut off has a score. */
function createProgress(trials: readonly Trial[]): () => void {
  const tenth = Math.ceil(trials.length / 10);
  let tried = trials.filter(({ verdict }) => verdict === "not_reached").length;
  return () => {
    tried += 1;
    const noticed = trials.filter(({ verdict }) => verdict === "noticed").length;
    if (tried % tenth === 0) say(`${tried} of ${trials.length} tried, ${noticed} noticed`);
  };
}

function roomOf({ file }: Mutant): string {
  return file.startsWith("src/") ? file.split("/").slice(1, -1).slice(0, 2).join("/") || "src" : "embed";
}

async function main(): Promise<number> {
  const unknown = unknownEqualMutants(bff);
  if (unknown.length > 0) throw new Error(`No such mutant any more (equal-mutants.ts): ${unknown.join("; ")}`);
  const seed = values.seed === undefined ? Date.now() % SEEDS : Number(values.seed);
  const paths = positionals.length > 0 ? positionals : ["src"];
  const isWidget = paths.some((path) => join(bff, path).startsWith(join(bff, "../widget")));
  const folder = isWidget ? join(bff, "../widget") : bff;
  const all = paths
    .flatMap((path) => mutantsAt(folder, relative(folder, join(bff, path))))
    .filter((mutant) => !isEqual(basename(folder), mutant));
  const mutants = values.sample === undefined ? all : drawn(all, Number(values.sample), seed);
  say(`seed ${seed}: ${mutants.length} of ${all.length} mutants`);

  const reach = await readReach(folder, testsOf(folder), Number(values.jobs), say);
  const start = Date.now();
  const trials = mutants.map((mutant): Trial => {
    const chosen = chooseTests(mutant, reach, Number(values.seconds) * 1_000);
    return { mutant, chosen, verdict: chosen.ofAll === 0 ? "not_reached" : "unclear" };
  });
  for (const trial of trials.filter(({ verdict }) => verdict === "not_reached")) tell(trial, "not_reached", "");
  await tryAll(folder, trials);
  say(`${(trials.length / ((Date.now() - start) / 60_000)).toFixed(1)} mutants a minute`);

  const rooms = [...new Set(mutants.map(roomOf))].sort().map((room) => {
    const own = trials.filter(({ mutant }) => roomOf(mutant) === room);
    const noticed = own.filter(({ verdict }) => verdict === "noticed").length;
    return { room, mutants: own.length, noticed, score: Number((noticed / own.length).toFixed(2)) };
  });
  for (const { room, mutants: count, noticed, score } of rooms)
    say(`${room.padEnd(28)} ${String(noticed).padStart(4)} of ${String(count).padStart(4)}  ${score.toFixed(2)}`);
  const survivors = trials.filter(({ verdict }) => verdict !== "noticed").map(({ mutant }) => mutant);
  const numbers = { seed, mutants: trials.length, noticed: trials.length - survivors.length };
  if (values.json) process.stdout.write(`${JSON.stringify({ ...numbers, rooms, survivors })}\n`);
  return numbers.noticed >= trials.length * Number(values.least) ? 0 : 1;
}

process.exitCode = await main();
