/**
 * Mutation testing. Changes one expression of the service at a time, runs the tests that reach it and lists the mutants
 * that survive.
 *
 *     pnpm mutate [path…] [--sample N] [--seed N] [--tests PATH]… [--seconds N] [--jobs N] [--least SCORE] [--all] [--json]
 *     pnpm mutate --accept REASON FINGERPRINT…
 *     pnpm mutate --prune
 *
 * A path is a folder, a file or a line below `bff` (`src/webhooks`, `src/webhooks/routes.ts:21`) or in the widget
 * (`../widget/embed`); the default is the whole service. `--sample` draws that many mutants by the seed. `--tests`
 * limits the test files, `--seconds` the time that the tests of one mutant may take. `--all` also prints the mutants
 * that were killed. The last lines are the scores of the rooms. With `--least`, the exit code is 1 if a score is lower.
 *
 * `--accept` adds surviving mutants that cannot be observed to `equal-mutants.txt`; `--prune` removes those that no
 * longer exist. See lab/README.md.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readCommandLine, seedFrom, wholeNumber } from "../command-line.ts";
import { randomOf } from "../sim/random.ts";
import { doWork } from "./do-work.ts";
import { fingerprintOf, readEqualMutants, writeEqualMutants } from "./equal-mutants.ts";
import { findMutants, type Mutant } from "./find-mutants.ts";
import { isProduct } from "./plugins.ts";
import { type Chosen, chooseTests, readReach } from "./reach.ts";
import { type Job, verdictSchema } from "./work.ts";

/** Mutants compiled into one process, because starting a process takes as long as running several mutants. */
const AT_ONCE = 40;
const bff = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

const { values, positionals } = readCommandLine(import.meta.filename, {
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    tests: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string" },
    jobs: { type: "string" },
    least: { type: "string", default: "0" },
    all: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    accept: { type: "string" },
    prune: { type: "boolean", default: false },
  },
});

const sample = wholeNumber("--sample", values.sample, 0);
const jobs = wholeNumber("--jobs", values.jobs, 2);
const secondsMax = wholeNumber("--seconds", values.seconds, 120);

const widget = join(bff, "../widget");

interface Trial {
  readonly mutant: Mutant;
  readonly chosen: Chosen;
  verdict: "noticed" | "survived" | "unclear" | "not_reached";
}

const paths = positionals.length > 0 ? positionals : ["src"];
const isWidget = paths.some((path) => join(bff, path).startsWith(widget));
const folder = isWidget ? widget : bff;
const packageName = basename(folder);

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

/**
 * True for files that decide or do something. Files that only describe (pages of docs, types of tables) have no
 * mutants.
 */
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

/**
 * Runs mutants in processes, many in each. A mutant counts as killed if it ends its process, or stops producing output.
 */
async function tryAll(folder: string, trials: readonly Trial[]): Promise<void> {
  const sayProgress = createProgress(trials);
  const waiting = trials
    .map((trial, index) => ({ trial, number: index + 1 }))
    .filter(({ trial }) => trial.verdict !== "not_reached");
  const work = async () => {
    const share = Math.ceil(waiting.length / jobs);
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
  await Promise.all(Array.from({ length: jobs }, work));
}

function tell(trial: Trial | undefined, verdict: Trial["verdict"], by: string): void {
  if (trial === undefined) return;
  trial.verdict = verdict;
  const { mutant, chosen } = trial;
  const asked = by === "" ? `${chosen.cases} of ${chosen.ofAll} cases` : by;
  if (verdict !== "noticed" || values.all)
    say(
      `${verdict.padEnd(11)} ${fingerprintOf(packageName, mutant)} ${mutant.file}:${mutant.line}  ${mutant.change}  [${asked}]`,
    );
}

/** Prints the counts after each hundredth of the mutants, so that a slow run does not look dead. */
function createProgress(trials: readonly Trial[]): () => void {
  const hundredth = Math.ceil(trials.length / 100);
  let tried = trials.filter(({ verdict }) => verdict === "not_reached").length;
  return () => {
    tried += 1;
    const noticed = trials.filter(({ verdict }) => verdict === "noticed").length;
    if (tried % hundredth === 0) say(`${tried} of ${trials.length} tried, ${noticed} noticed`);
  };
}

function roomOf({ file }: Mutant): string {
  return file.startsWith("src/") ? file.split("/").slice(1, -1).slice(0, 2).join("/") || "src" : "embed";
}

function allFingerprints(): ReadonlySet<string> {
  const ofPackage = (place: string, sources: readonly string[]) =>
    sources.flatMap((path) => mutantsAt(place, path)).map((mutant) => fingerprintOf(basename(place), mutant));
  return new Set([...ofPackage(bff, ["src"]), ...ofPackage(widget, ["src", "embed"])]);
}

function acceptMutants(fingerprints: readonly string[], reason: string): number {
  const known = allFingerprints();
  const unknown = fingerprints.filter((one) => !known.has(one));
  if (unknown.length > 0 || reason === "") {
    say(
      reason === ""
        ? "Give a reason: pnpm mutate --accept REASON FINGERPRINT…"
        : `No such mutant: ${unknown.join(", ")}`,
    );
    return 1;
  }
  writeEqualMutants(new Map([...readEqualMutants(), ...fingerprints.map((one) => [one, reason] as const)]));
  return 0;
}

function pruneList(): number {
  const known = allFingerprints();
  const equal = [...readEqualMutants()];
  for (const [fingerprint, reason] of equal) if (!known.has(fingerprint)) say(`removed ${fingerprint} ${reason}`);
  const kept = equal.filter(([fingerprint]) => known.has(fingerprint));
  writeEqualMutants(new Map(kept));
  say(`${kept.length} of ${equal.length} kept`);
  return 0;
}

async function main(): Promise<number> {
  if (values.accept !== undefined) return acceptMutants(positionals, values.accept);
  if (values.prune) return pruneList();
  const seed = seedFrom(values.seed);
  const equal = readEqualMutants();
  const all = paths
    .flatMap((path) => mutantsAt(folder, relative(folder, join(bff, path))))
    .filter((mutant) => !equal.has(fingerprintOf(packageName, mutant)));
  const mutants = values.sample === undefined ? all : drawn(all, sample, seed);
  say(`seed ${seed}: ${mutants.length} of ${all.length} mutants`);

  const reach = await readReach(folder, testsOf(folder), jobs, say);
  const start = Date.now();
  const trials = mutants.map((mutant): Trial => {
    const chosen = chooseTests(mutant, reach, secondsMax * 1_000);
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
