#!/usr/bin/env node
/**
 * `pnpm test [area]`: checks a change within ten minutes, everything (`all`), everything that a change reaches
 * (`changed [REF]`), or one area. It continues after a failure, so that one run shows every failure; only a failed
 * setup or build ends it early. The last line of the output is `N passed, N failed`. Full logs and reports stay in
 * .cache/check.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { planForChanged } from "./changed.mjs";
import { runCommand } from "./commands.mjs";
import {
  addFailure,
  areAllLeftOut,
  countFailure,
  countNodeTests,
  countOne,
  countPlaywright,
  countSkippedEverywhere,
  countVitest,
  lastLines,
  noCounts,
  tallyLine,
} from "./counts.mjs";
import { areas, fileName, limitsOf, planFor, reportPath } from "./plan.mjs";
import { provision, versionsOf } from "./provision.mjs";
import { openPassed } from "./unchanged.mjs";

/** @typedef {import("./plan.mjs").Step} Step */
/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {{ name: string, seconds: number, processorSeconds: number | null, note: string }} Timed */
/** @typedef {import("./counts.mjs").Counts & Timed} Outcome */
/** @typedef {{ signal: AbortSignal, env: Record<string, string>, passed?: import("./unchanged.mjs").Passed }} Context */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = join(root, ".cache/check");
const tallyPath = join(reports, "tally");
const failuresShownMax = 20;

const [area = "change", ref] = process.argv.slice(2);
/** A step without progress is ended earlier. This is far more than all steps take on a busy machine. */
const mostMinutes = area === "all" ? 240 : 75;
if (![...areas, "changed"].includes(area)) {
  console.error(`There is no area "${area}". Usage: pnpm test [${areas.join(" | ")} | changed [REF]]`);
  process.exit(2);
}
await main(area === "changed" ? planForChanged({ root, reports }, ref) : planFor(area, { root, reports }));

/** @param {Plan} plan */
async function main(plan) {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const stopping = new AbortController();
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, () => stopping.abort());
  // If the output is no longer read, running steps are ended as by Ctrl-C, instead of surviving a failed write.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => stopping.abort());
  setTimeout(() => stopping.abort(), mostMinutes * 60_000).unref();

  const outcomes = await runPlan(plan, stopping.signal);
  if (areAllLeftOut(plan.lanes.flat(), outcomes))
    outcomes.push({ ...untimed(area), note: "", ...countFailure("Nothing of this could be checked here.") });
  if (stopping.signal.aborted)
    outcomes.push({ ...untimed("the whole check"), note: "", ...countFailure("It was stopped before its end.") });
  const tally = tallyLine(outcomes);
  writeFileSync(tallyPath, `${tally}\n`);
  printSummary(outcomes);
  console.log(`\n${tally}`);
  process.exitCode = stopping.signal.aborted ? 130 : outcomes.some((outcome) => outcome.failed > 0) ? 1 : 0;
}

/**
 * @param {Plan} plan
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome[]>}
 */
async function runPlan(plan, signal) {
  const machine = prepareMachine(plan.needs, signal);
  const built = await runLane(plan.first, { signal, env: {} });
  const { outcome, provisions } = await machine;
  // The steps of `changed` depend on the commit that is compared with, which is not among a step's inputs.
  const passed = area === "changed" ? undefined : openPassed(root, versionsFor(provisions));
  const context = { signal, env: provisions?.env ?? {}, ...(passed && { passed }) };
  try {
    const base = [...outcome, ...built];
    if (base.some((one) => one.failed > 0)) {
      for (const step of plan.lanes.flat()) console.log(`  not run  ${step.name}`);
      return base;
    }
    const lanes = await Promise.all(plan.lanes.map((lane) => runLane(lane, context)));
    const repeated = repeatedRuns(plan.lanes.flat(), lanes.flat());
    return [...base, ...lanes.flat(), ...databaseOfAll(provisions), ...repeated];
  } finally {
    await provisions?.release();
  }
}

/**
 * @param {import("./provision.mjs").Provisions | undefined} provisions
 * @returns {string[]} The versions of the programs that run the steps; in continuous integration nothing compares them.
 */
function versionsFor(provisions) {
  const { notes, programs } = provisions ?? { notes: [], programs: [] };
  const { CI, TEST_DATABASE_URL = "" } = process.env;
  return [process.version, TEST_DATABASE_URL, ...notes, ...(CI ? [] : versionsOf(programs))];
}

/**
 * @param {import("./provision.mjs").Provisions | undefined} provisions
 * @returns {Outcome[]} The processor time of the PostgreSQL that the steps share, which is in no step's own time.
 */
function databaseOfAll(provisions) {
  const processorSeconds = provisions?.databaseSeconds() ?? null;
  if (processorSeconds === null) return [];
  return [{ ...untimed("PostgreSQL, for all of them"), processorSeconds, note: "", ...noCounts() }];
}

/**
 * @param {readonly Step[]} steps
 * @param {readonly Outcome[]} outcomes
 * @returns {Outcome[]} The tests that all runs of the same tests skipped, if any.
 */
function repeatedRuns(steps, outcomes) {
  const names = new Set(steps.flatMap((step) => step.oneOf ?? []));
  return [...names].flatMap((name) => {
    const runs = steps.filter((step) => step.oneOf === name).map((step) => step.name);
    const skipped = outcomes.filter((outcome) => runs.includes(outcome.name)).map((outcome) => outcome.skipped);
    const outcome = { ...untimed(name), note: "", ...countSkippedEverywhere(skipped) };
    if (outcome.failed === 0) return [];
    printOutcome(outcome);
    return [outcome];
  });
}

/**
 * @param {Plan["needs"]} needs
 * @param {AbortSignal} signal
 * @returns {Promise<{ outcome: Outcome[], provisions: import("./provision.mjs").Provisions | undefined }>}
 */
async function prepareMachine(needs, signal) {
  if (!Object.values(needs).includes(true)) return { outcome: [], provisions: undefined };
  const name = "browser, database, nginx and promtool";
  const startedAt = Date.now();
  try {
    const provisions = await provision(needs, { root, logFolder: reports, signal });
    // Programs that were found do not count as checks, only missing ones.
    const outcome = { ...timed(name, startedAt), ...noCounts(), note: provisions.notes.join("; ") };
    printOutcome(outcome);
    return { outcome: [outcome], provisions };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const outcome = { ...timed(name, startedAt), ...countFailure(message), note: "" };
    printOutcome(outcome);
    return { outcome: [outcome], provisions: undefined };
  }
}

/**
 * @param {readonly Step[]} steps
 * @param {Context} context
 * @returns {Promise<Outcome[]>}
 */
async function runLane(steps, context) {
  const outcomes = [];
  for (const step of steps) {
    if (context.signal.aborted) break;
    const outcome = await runStep(step, context);
    printOutcome(outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

/**
 * @param {Step} step
 * @param {Context} context
 * @returns {Promise<Outcome>}
 */
async function runStep(step, { signal, env, passed }) {
  const before = passed?.find(step);
  if (before !== undefined) return { ...untimed(step.name), ...before, note: "unchanged since it passed" };
  passed?.drop(step);
  const startedAt = Date.now();
  const { code, output, ended, left, processorSeconds } = await runCommand({
    program: step.program,
    args: step.args,
    cwd: join(root, step.folder),
    env: { CI: "true", NO_COLOR: "1", FORCE_COLOR: undefined, ...env, ...step.env },
    logPath: join(reports, `${fileName(step.name)}.log`),
    limits: limitsOf(step),
    yields: step.yields ?? false,
    signal,
  });
  const base = { ...timed(step.name, startedAt), processorSeconds };
  if (code !== 0 && step.leftOut?.pattern.test(output)) {
    return { ...base, ...noCounts(), note: `left out: ${step.leftOut.why}` };
  }
  const counts = count(step, code, output);
  if (ended) counts.failures.unshift(ended);
  if (left.length > 0) addFailure(counts, "it left running", left.join("\n"));
  if (counts.failed === 0) passed?.keep(step, counts);
  return { ...base, ...counts, note: step.tells?.exec(output)?.[0] ?? "" };
}

/**
 * @param {Step} step
 * @param {number} code
 * @param {string} output
 * @returns {import("./counts.mjs").Counts}
 */
function count(step, code, output) {
  if (step.report === "one") return countOne(output, code);
  if (step.report === "node") return countNodeTests(output, code);
  const path = reportPath(reports, step.name);
  if (step.mayBeEmpty && code === 0 && hasNoTests(path)) return noCounts();
  // The test runner died, or was ended, before it could report.
  if (!existsSync(path)) return countFailure(`no report\n${lastLines(output, 60)}`);
  const report = JSON.parse(readFileSync(path, "utf8"));
  return step.report === "vitest"
    ? countVitest(report, code, { skipsAllowed: step.oneOf !== undefined, isShort: step.isShort ?? false })
    : countPlaywright(report, code);
}

/** @param {string} path Of a test runner's report. */
function hasNoTests(path) {
  if (!existsSync(path)) return true;
  const { suites, testResults } = JSON.parse(readFileSync(path, "utf8"));
  return (suites ?? testResults).length === 0;
}

/**
 * @param {string} name
 * @param {number} startedAt
 * @returns {Omit<Timed, "note">}
 */
function timed(name, startedAt) {
  return { ...untimed(name), seconds: (Date.now() - startedAt) / 1_000 };
}

/**
 * @param {string} name
 * @returns {Omit<Timed, "note">}
 */
function untimed(name) {
  return { name, seconds: 0, processorSeconds: null };
}

/** @param {Outcome} outcome */
function printOutcome(outcome) {
  console.log(summaryLine(outcome));
  for (const failure of outcome.failures.slice(0, failuresShownMax)) console.log(`\n${indent(failure)}`);
  const hidden = outcome.failures.length - failuresShownMax;
  if (hidden > 0) console.log(`\n    … and ${hidden} more`);
  if (outcome.failed > 0) console.log(`\n    the whole of it: .cache/check/${fileName(outcome.name)}.log\n`);
}

/**
 * Prints the failures again at the end of a long log, with the names of the failed tests.
 *
 * @param {readonly Outcome[]} outcomes
 */
function printSummary(outcomes) {
  const lines = outcomes.flatMap((outcome) => [summaryLine(outcome), ...namesOfFailures(outcome)]);
  console.log(`\n${" ".repeat(52)} took  processor\n${lines.join("\n")}`);
  const counted = outcomes.reduce((sum, { processorSeconds }) => sum + (processorSeconds ?? 0), 0);
  console.log(`${" ".repeat(49)} together ${`${counted.toFixed(0)} s`.padStart(8)}`);
}

/**
 * @param {Outcome} outcome
 * @returns {string[]}
 */
function namesOfFailures({ passed, failed, failures }) {
  const isOneCheck = passed + failed <= 1;
  if (isOneCheck) return [];
  return failures.slice(0, failuresShownMax).map((failure) => indent(failure.split("\n", 1)[0] ?? ""));
}

/**
 * @param {Outcome} outcome
 * @returns {string}
 */
function summaryLine({ name, passed, failed, seconds, processorSeconds, note }) {
  const mark = failed > 0 ? "FAILED" : note.startsWith("left out") ? "  --  " : "  ok  ";
  const counts = passed + failed > 1 ? `${passed} passed${failed > 0 ? `, ${failed} failed` : ""}` : "";
  const processor = processorSeconds === null ? "" : `${processorSeconds.toFixed(1)} s`;
  const times = `${`${seconds.toFixed(1)} s`.padStart(8)} ${processor.padStart(8)}`;
  return `${mark}  ${name.padEnd(42)} ${times}  ${[counts, note].filter(Boolean).join("  ")}`.trimEnd();
}

/** @param {string} text */
function indent(text) {
  return text.replaceAll(`${root}/`, "").replaceAll(/^/gm, "    ");
}
