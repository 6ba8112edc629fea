import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doWork } from "./do-work.ts";
import type { Mutant } from "./find-mutants.ts";
import { functionName } from "./plugins.ts";
import { type Job, recordSchema, type TestRecord } from "./work.ts";

/** Test files that one process records before its results are stored. */
const AT_ONCE = 5;

/** The calls of one test file, by the names of functions. */
interface Reach {
  readonly test: string;
  readonly cases: readonly { readonly name: string; readonly ms: number; readonly calls: ReadonlySet<string> }[];
  readonly around: ReadonlySet<string>;
  readonly whileLoading: ReadonlySet<string>;
}

/**
 * The functions that each case of some test files calls. Each test file is recorded once, and again after it changes. A
 * function added since then counts as called by every case that calls other functions of its file.
 */
export async function readReach(
  folder: string,
  tests: readonly string[],
  jobs: number,
  say: (text: string) => void,
): Promise<readonly Reach[]> {
  const kept = (test: string) => join(folder, ".cache/mutate", `${hashOf(folder, test)}.json`);
  mkdirSync(join(folder, ".cache/mutate"), { recursive: true });
  const waiting = tests.filter((test) => !existsSync(kept(test)));
  if (waiting.length > 0) say(`${waiting.length} of ${tests.length} test files run once, to see what they reach.`);
  const total = waiting.length;
  let done = 0;
  const record = async () => {
    for (let some = waiting.splice(0, AT_ONCE); some.length > 0; some = waiting.splice(0, AT_ONCE)) {
      let count = 0;
      const output = await doWork(folder, { kind: "record", tests: some }, (line) => {
        const recorded = recordSchema.parse(line);
        count += 1;
        done += 1;
        for (const name of recorded.failed) say(`fails without any mutant, and is left out: ${recorded.test}: ${name}`);
        writeFileSync(kept(recorded.test), JSON.stringify(recorded));
        say(`${done} of ${total} recorded: ${recorded.test}`);
      });
      const [ended, ...rest] = some.slice(count);
      if (ended !== undefined) say(`could not be recorded, and is left out: ${ended}\n${output}`);
      waiting.unshift(...rest);
    }
  };
  await Promise.all(Array.from({ length: jobs }, record));
  return tests
    .filter((test) => existsSync(kept(test)))
    .map((test) => reachOf(recordSchema.parse(JSON.parse(readFileSync(kept(test), "utf8")))));
}

function reachOf({ test, cases, around, whileLoading, functions }: TestRecord): Reach {
  const names = (numbers: readonly number[]) => new Set(numbers.map((number) => functions[number] ?? ""));
  return {
    test,
    cases: cases.map(({ name, ms, calls }) => ({ name, ms, calls: names(calls) })),
    around: names(around),
    whileLoading: names(whileLoading),
  };
}

function hashOf(folder: string, test: string): string {
  return createHash("sha256")
    .update(test)
    .update(readFileSync(join(folder, test)))
    .digest("hex")
    .slice(0, 16);
}

/** The cases that may kill a mutant, as far as the time allows, with the total number of such cases. */
export interface Chosen extends Pick<Job, "tests" | "whileLoading"> {
  readonly cases: number;
  readonly ofAll: number;
}

/**
 * Chooses the cases that call the changed function: first from unit tests, then from test files with the nearest names
 * and the most calling cases. From each it takes the quickest first, until their time is used up.
 */
export function chooseTests({ file, inFunction }: Mutant, reach: readonly Reach[], msMax: number): Chosen {
  const prefix = functionName(file, "");
  const inFile = (calls: ReadonlySet<string>) => [...calls].some((name) => name.startsWith(prefix));
  const named = inFunction === null ? null : functionName(file, inFunction);
  const isKnown =
    named !== null &&
    reach.some((one) =>
      [one.around, one.whileLoading, ...one.cases.map(({ calls }) => calls)].some((calls) => calls.has(named)),
    );
  const calls = (set: ReadonlySet<string>) => (named !== null && isKnown ? set.has(named) : inFile(set));
  const whileLoading = named === null || reach.some((one) => one.whileLoading.has(named));
  const files = reach
    .map(({ test, cases, around, whileLoading: loading }) => {
      const isAround = calls(around) || (named !== null && loading.has(named));
      const reaching = cases.filter((one) => isAround || calls(one.calls));
      const share = reaching.length / Math.max(1, cases.length);
      const isUnit = test.startsWith("test/") ? 0 : 1;
      return {
        test,
        near: isUnit * NEAREST + wordsInBoth(file, test) + share,
        cases: reaching.sort((one, other) => one.ms - other.ms),
      };
    })
    .filter(({ cases }) => cases.length > 0)
    .sort((one, other) => other.near - one.near || sumOf(one.cases) - sumOf(other.cases));
  let left = msMax;
  const tests = files.map(({ test, cases }) => {
    const fitting = cases.filter(({ ms }) => {
      const fits = ms <= left;
      if (fits) left -= ms;
      return fits;
    });
    return { file: test, cases: fitting.map(({ name }) => name) };
  });
  const fitting = tests.filter(({ cases }) => cases.length > 0);
  const count = (some: readonly { readonly cases: readonly unknown[] }[]) =>
    some.reduce((sum, { cases }) => sum + cases.length, 0);
  return { tests: fitting, whileLoading, cases: count(fitting), ofAll: count(files) };
}

/** More words than any two paths share. */
const NEAREST = 100;

/** The number of words that two paths share, such as the folder `orders`. */
function wordsInBoth(one: string, other: string): number {
  const wordsOf = (path: string) =>
    new Set(
      path
        .replace(/^(?:src|test\/http)\//, "")
        .split(/[^a-z]+/)
        .map((word) => word.slice(0, 5)),
    );
  const words = wordsOf(one);
  return [...wordsOf(other)].filter((word) => word.length > 2 && words.has(word)).length;
}

function sumOf(cases: readonly { readonly ms: number }[]): number {
  return cases.reduce((sum, { ms }) => sum + ms, 0);
}
