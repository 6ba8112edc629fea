import { appendFileSync, readFileSync } from "node:fs";
import { TestRunner, vi } from "vitest";
import { startTests } from "vitest/internal/browser";
import { type Job, type TestRecord, type Verdict, workSchema } from "./work.ts";

type File = Awaited<ReturnType<typeof startTests>>[number];
type Suite = Parameters<TestRunner["onBeforeRunSuite"]>[0];
type Task = Parameters<TestRunner["onBeforeRunTask"]>[0];

/**
 * Runs the work that the environment names within one process, in which the service's files stay loaded. It runs test
 * files repeatedly, each time with another mutant. Its own "test file" is `start-work.ts`, which is empty.
 */
export default class WorkRunner extends TestRunner {
  // Vitest awaits this method, although its type does not say so.
  // oxlint-disable-next-line typescript/no-misused-promises
  override async onAfterRunFiles(files: File[]): Promise<void> {
    super.onAfterRunFiles(files);
    const { WORK_FILE: file, WORK_DONE: done } = process.env;
    if (file === undefined || done === undefined) return;
    const work = workSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const write = (line: TestRecord | Verdict) => appendFileSync(done, `${JSON.stringify(line)}\n`);
    if (work.kind === "record") for (const test of work.tests) write(await record(this, test));
    else
      for (const [place, job] of work.jobs.entries()) {
        const verdict = await judge(this, job);
        // An earlier mutant may have left state behind, so the rest runs in a new process.
        if (verdict.verdict === "unclear" && place > 0) return write({ ...verdict, verdict: "again" });
        write(verdict);
      }
  }
}

interface Watch {
  /** The cases to run; null for all. */
  readonly cases: ReadonlySet<string> | null;
  /** Everything after this case is skipped, as is everything after the first failure. */
  readonly last: string | null;
  readonly onCase: (task: Task | null) => void;
  readonly onRun: () => void;
}

/** Runs a test file again, without reporting to Vitest's main process. */
async function runFile(runner: WorkRunner, test: string, watch: Partial<Watch>): Promise<File> {
  let isOver = false;
  forgetBefore();
  const path = `${runner.config.root}/${test}`;
  // The value of `expect.getState().testPath`.
  Reflect.set(Reflect.get(runner, "workerState"), "filepath", path);
  const quiet: WorkRunner = Object.assign(Object.create(runner), {
    onTaskUpdate: async () => undefined,
    onCollectStart: (file: File) => TestRunner.prototype.onCollectStart.call(quiet, file),
    // As a setup file, which is loaded again each time.
    importFile: (file: string) => TestRunner.prototype.importFile.call(quiet, file, "setup"),
    onCollected: (files: File[]) => {
      for (const file of files) choose(file, watch.cases ?? null);
    },
    onBeforeRunFiles: () => watch.onRun?.(),
    onAfterRunFiles: (files: File[]) => TestRunner.prototype.onAfterRunFiles.call(quiet, files),
    onBeforeRunTask: async (task: Task) => {
      if (isOver) task.mode = "skip";
      await TestRunner.prototype.onBeforeRunTask.call(quiet, task);
      watch.onCase?.(task);
    },
    onAfterRunTask: (task: Task) => {
      TestRunner.prototype.onAfterRunTask.call(quiet, task);
      isOver ||= watch.last !== undefined && (task.result?.state === "fail" || nameOf(task) === watch.last);
      watch.onCase?.(null);
    },
  });
  const [file] = await startTests([path], quiet);
  if (file === undefined) throw new Error(`No tests in ${test}`);
  return file;
}

/** Clears what a case left behind when it failed half-way. */
function forgetBefore(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  const document = Reflect.get(globalThis, "document");
  if (document === undefined) return;
  document.body.replaceChildren();
  document.documentElement.className = "";
  document.adoptedStyleSheets = [];
}

/** Clears definitions that loaded files cannot make twice: custom elements of a page. */
function forgetDefined(): void {
  const elements: object = Reflect.get(globalThis, "customElements") ?? {};
  for (const symbol of Object.getOwnPropertySymbols(elements)) {
    const kept: unknown = Reflect.get(elements, symbol);
    if (kept instanceof Map) kept.clear();
  }
}

/** Skips every case but the chosen ones, and every suite without any of them. */
function choose(suite: Suite, cases: ReadonlySet<string> | null): void {
  if (cases === null) return;
  for (const task of suite.tasks) {
    if (task.type === "suite") choose(task, cases);
    else if (!cases.has(nameOf(task))) task.mode = "skip";
  }
  if (suite.tasks.every(({ mode }) => mode === "skip")) suite.mode = "skip";
}

function nameOf(task: Task): string {
  return task.suite === undefined || !("name" in task.suite) ? task.name : `${suiteName(task.suite)}${task.name}`;
}

function suiteName(suite: Suite): string {
  return `${suite.suite === undefined ? "" : suiteName(suite.suite)}${suite.name} > `;
}

function casesOf(suite: Suite): Task[] {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? casesOf(task) : [task]));
}

/** The names of the suites and cases that failed. */
function failuresOf(suite: Suite): string[] {
  const within = suite.tasks.flatMap((task) =>
    task.type === "suite" ? failuresOf(task) : task.result?.state === "fail" ? [nameOf(task)] : [],
  );
  return within.length === 0 && suite.result?.state === "fail" ? [suiteName(suite)] : within;
}

async function record(runner: WorkRunner, test: string): Promise<TestRecord> {
  const functions = new Map<string, number>();
  const whileLoading = new Set<number>();
  const around = new Set<number>();
  const calls = new Map<Task, Set<number>>();
  let current = whileLoading;
  Reflect.set(globalThis, "saysCalled", (name: string) => {
    const number = functions.get(name) ?? functions.size;
    functions.set(name, number);
    current.add(number);
  });
  const file = await runFile(runner, test, {
    onRun: () => {
      current = around;
    },
    onCase: (task) => {
      current = task === null ? around : new Set();
      if (task !== null) calls.set(task, current);
    },
  });
  const passed = casesOf(file).filter(({ result }) => result?.state === "pass");
  return {
    test,
    cases: passed.map((task) => ({
      name: nameOf(task),
      ms: Math.round(task.result?.duration ?? 0),
      calls: [...(calls.get(task) ?? [])],
    })),
    failed: failuresOf(file),
    around: [...around],
    whileLoading: [...whileLoading],
    functions: [...functions.keys()],
  };
}

async function judge(runner: WorkRunner, { number, whileLoading, tests }: Job): Promise<Verdict> {
  const chosen = (which: number) => {
    Reflect.set(globalThis, "chosenMutant", which);
    if (!whileLoading) return;
    vi.resetModules();
    forgetDefined();
  };
  for (const { file: test, cases } of tests) {
    chosen(number);
    const failures = failuresOf(await runFile(runner, test, { cases: new Set(cases), last: null }));
    chosen(0);
    const [first] = failures;
    if (first === undefined) continue;
    const verdict = (await passes(runner, test, cases, first)) ? "noticed" : "unclear";
    return { number, verdict, by: `${test}: ${first}` };
  }
  return { number, verdict: "survived", by: "" };
}

const passed = new Set<string>();

/** Whether the cases up to the failed one pass without any mutant. Otherwise the failure does not count as a kill. */
async function passes(runner: WorkRunner, test: string, cases: readonly string[], last: string): Promise<boolean> {
  const key = JSON.stringify([test, last, ...cases]);
  if (passed.has(key)) return true;
  const failures = failuresOf(await runFile(runner, test, { cases: new Set(cases), last }));
  if (failures.length > 0) return false;
  passed.add(key);
  return true;
}
