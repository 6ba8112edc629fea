import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * One thing to check. `report` determines how its outcome is counted: from a test runner's report, or as one check.
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {string} program
 * @property {readonly string[]} args
 * @property {string} folder From the repository's root.
 * @property {Readonly<Record<string, string>>} [env]
 * @property {"one" | "vitest" | "playwright" | "node"} report
 * @property {string} [oneOf] The name of several runs of the same tests: a test may be skipped in some, not in all.
 * @property {{ pattern: RegExp, why: string }} [leftOut] An output that means that the check is impossible here.
 * @property {RegExp} [tells] The part of its output that is shown even if it passes.
 * @property {number} [mostMinutes] Its limit on any machine, instead of that of its kind.
 * @property {boolean} [yields] It runs at a lower priority than other steps.
 * @property {readonly string[]} [reads] The folders that decide its outcome, besides the root's own files. Default: the
 *   whole repository. Empty: chance or others decide, so it always runs.
 * @property {boolean} [mayBeEmpty] A change may reach none of its tests.
 * @property {boolean} [isShort] Tests with the tag `long` are left to `pnpm test all`.
 */

/** A slow step on a busy machine is not stopped, but one without progress for longer than any single test takes is. */
const stallMinutes = 8;

/** The output that means progress for each kind of step (a finished test), and its limit on any machine. */
const kinds = {
  playwright: { progress: /^ *[✓✘-] +\d+ /, mostMinutes: 45 },
  vitest: { progress: /^ *[✓❯×↓] /, mostMinutes: 45 },
  node: { progress: /^ *(not )?ok /, mostMinutes: 20 },
  one: { progress: undefined, mostMinutes: 20 },
};

/**
 * @param {Pick<Step, "report" | "mostMinutes">} step
 * @returns {import("./commands.mjs").Limits}
 */
export function limitsOf({ report, mostMinutes = kinds[report].mostMinutes }) {
  const { progress } = kinds[report];
  return { stallMs: stallMinutes * 60_000, mostMs: mostMinutes * 60_000, progress };
}

/**
 * The steps of one area: first the common basis, then parallel lanes.
 *
 * @typedef {object} Plan
 * @property {import("./provision.mjs").Needs} needs
 * @property {readonly Step[]} first
 * @property {readonly (readonly Step[])[]} lanes
 */

export const areas = ["change", "all", "unit", "http", "e2e", "crash"];

/**
 * @param {string} area One of `areas`.
 * @param {{ root: string, reports: string }} places
 * @returns {Plan}
 */
export function planFor(area, places) {
  const nothing = {
    needs: { browser: false, postgres: false, nginx: false, promtool: false, pgbouncer: false, languages: false },
    first: [],
    lanes: [],
  };
  switch (area) {
    case "change":
      return everything(places, {
        inBrowsers: short(browserTests(places)),
        httpTests: onlyWhereTheyCanDiffer(places),
        beside: [short(simulationTests(places)), ...shares({ lives: 4, requests: 200, actions: 15 }), killedOnPglite()],
      });
    case "all":
      return withPgbouncer(
        everything(places, {
          inBrowsers: inMoreBrowsersAndApps(browserTests(places)),
          afterBrowsers: findingPlantedMistakes(),
          httpTests: onBothDatabases(places),
          beside: [
            simulationTests(places),
            ...shares({ lives: 8, requests: 400, actions: 30 }),
            ...killedProcesses(),
            outages(),
            ...goingToProductionWithRelease(),
            ...longChecks(),
          ],
        }),
      );
    case "unit":
      return { ...nothing, lanes: unitLanes(unitTests(places)) };
    case "http":
      return {
        ...nothing,
        needs: { browser: false, postgres: true, nginx: true, promtool: false, pgbouncer: false, languages: true },
        lanes: [[onPostgres(places), whereTheyDiffer(onPglite(places)), documentedAnswers(), sameStatements()]],
      };
    case "e2e":
      return {
        ...nothing,
        needs: { browser: true, postgres: false, nginx: false, promtool: false, pgbouncer: false, languages: false },
        first: [build()],
        lanes: [[browserTests(places)]],
      };
    case "crash":
      return {
        ...nothing,
        needs: { browser: false, postgres: true, nginx: true, promtool: false, pgbouncer: false, languages: false },
        first: [build()],
        lanes: [killedProcesses()],
      };
    default:
      throw new Error(`Unknown area "${area}". Known: ${areas.join(", ")}.`);
  }
}

/**
 * @param {Plan} plan
 * @returns {Plan}
 */
function withPgbouncer(plan) {
  return { ...plan, needs: { ...plan.needs, pgbouncer: true } };
}

/**
 * The browser tests spend half of their time waiting, which parallel steps at a lower priority use.
 *
 * @param {{ root: string, reports: string }} places
 * @param {{ inBrowsers: Step, afterBrowsers?: Step[], httpTests: readonly Step[], beside: readonly Step[] }} steps
 * @returns {Plan}
 */
function everything(places, { inBrowsers, afterBrowsers = [], httpTests, beside }) {
  const others = [...staticChecks(places), ...unitTests(places), sizes(), ...beside];
  return {
    needs: { browser: true, postgres: true, nginx: true, promtool: true, pgbouncer: false, languages: true },
    first: [build()],
    lanes: [[inBrowsers, ...afterBrowsers.map(inTheGaps)], httpTests.map(inTheGaps), others.map(inTheGaps)],
  };
}

/**
 * The step without the tests that only `pnpm test all` runs, which have the tag `long` and a reason.
 *
 * @param {Step} step
 * @returns {Step}
 */
export function short(step) {
  const filter = step.report === "playwright" ? "--grep-invert=@long" : "--tagsFilter=!long";
  return { ...step, args: [...step.args, filter], isShort: true };
}

/**
 * @param {Step} step
 * @returns {Step}
 */
function inTheGaps(step) {
  return { ...step, yields: true };
}

/** @returns {Step} */
export function build() {
  return { name: "build", ...pnpm("run", "build"), folder: ".", report: "one" };
}

/**
 * @param {{ root: string }} places
 * @returns {Step[]}
 */
function staticChecks({ root }) {
  const ownTests = readdirSync(join(root, ".ci"))
    .filter((file) => file.endsWith(".test.mjs"))
    .map((file) => join(".ci", file));
  return [
    { name: "types", ...pnpm("run", "typecheck"), folder: ".", report: "one" },
    { name: "format and lint", ...pnpm("run", "lint:style"), folder: ".", report: "one" },
    { name: "lint by types", ...pnpm("run", "lint:types"), folder: ".", report: "one" },
    { name: "unused code and dependencies", ...pnpm("run", "unused"), folder: ".", report: "one" },
    {
      name: "interface changes are compatible",
      ...pnpm("run", "changes", "--strict"),
      folder: "bff",
      report: "one",
      reads: ["bff", "widget/embed"],
    },
    {
      name: "the packages break nobody",
      program: process.execPath,
      args: [".ci/compare-packages.mjs"],
      folder: ".",
      report: "one",
    },
    {
      name: "known vulnerabilities",
      ...pnpm("audit", "--prod"),
      folder: ".",
      env: { npm_config_fetch_retries: "0", npm_config_fetch_timeout: "20000" },
      report: "one",
      reads: [],
      leftOut: {
        pattern: /ERR_PNPM_AUDIT_BAD_RESPONSE|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ERR_SOCKET_TIMEOUT/,
        why: "the package registry does not answer audits here",
      },
    },
    {
      name: "alerts fire where they must",
      program: "promtool",
      args: ["test", "rules", "rules.test.yaml", "around.test.yaml"],
      folder: "bff/deploy/alerts",
      report: "one",
      reads: ["bff/deploy"],
      leftOut: { pattern: /spawn promtool ENOENT/, why: "promtool is not installed here" },
    },
    {
      name: "this check's own tests",
      program: process.execPath,
      args: ["--test", "--test-reporter=tap", ...ownTests],
      folder: ".",
      report: "node",
    },
  ];
}

/**
 * @param {{ root: string, reports: string }} places
 * @returns {Step[]}
 */
function unitTests(places) {
  /** @param {string} folder */
  const of = (folder) => vitest({ name: `unit tests, ${folder}`, folder }, places);
  // The service's unit tests include the house rules, which read every document.
  return [
    of("bff"),
    { ...of("widget"), reads: ["widget", "bff", "e2e/kit"] },
    { ...of("host-demo"), reads: ["host-demo", "widget", "bff"] },
  ];
}

/**
 * The service's unit tests take as long as all others, and each runner leaves one core free.
 *
 * @param {readonly Step[]} steps
 * @returns {Step[][]}
 */
function unitLanes([service, ...others]) {
  return [service === undefined ? [] : [service], others];
}

/**
 * Runs all on PostgreSQL, and on PGlite only those that work close to the database. The others only send statements,
 * which are compared separately. `vitest.http.config.ts` lists the assumptions.
 *
 * @param {{ root: string, reports: string }} places
 * @returns {Step[]}
 */
function onlyWhereTheyCanDiffer(places) {
  const pglite = whereTheyDiffer(onPglite(places));
  return [
    short(onPostgres(places)),
    { ...pglite, args: [...pglite.args, "test/http/platform"] },
    documentedAnswers(),
    sameStatements(),
  ];
}

/**
 * @param {Step} step
 * @returns {Step}
 */
function whereTheyDiffer(step) {
  return { ...step, args: [...step.args, "--tagsFilter=both-databases"] };
}

/**
 * @param {{ root: string, reports: string }} places
 * @returns {Step[]}
 */
function onBothDatabases(places) {
  return [
    onPostgres(places),
    onPglite(places),
    asInProduction(places),
    throughPgbouncer(places),
    documentedAnswers(),
    sameStatements(),
  ];
}

/**
 * Patients' registrations, receipts and tokens again, with all clinics serving the same patients. The short check tests
 * what one clinic can do to another there (`other-clinics.test.ts`).
 *
 * @param {{ root: string, reports: string }} places
 */
function asInProduction(places) {
  const env = { TEST_DATABASE: "postgres", TEST_ENVIRONMENT: "production", FORGET_ANSWERS: "false" };
  const step = httpTests("PostgreSQL, the same patients for all clinics", env, places);
  return { ...step, args: [...step.args, "test/http/spot"] };
}

/** @param {{ root: string, reports: string }} places */
export function onPostgres(places) {
  // This is the first of them, so it discards the answers of earlier runs.
  return httpTests("PostgreSQL", { TEST_DATABASE: "postgres", FORGET_ANSWERS: "true" }, places);
}

/**
 * Orders again, with PgBouncer between the service and PostgreSQL.
 *
 * @param {{ root: string, reports: string }} places
 * @returns {Step}
 */
function throughPgbouncer(places) {
  const step = vitest(
    { name: "HTTP tests of orders, through PgBouncer", folder: "bff" },
    places,
    "vitest.pooled.config.ts",
  );
  return {
    ...step,
    leftOut: { pattern: /PgBouncer is not installed here/, why: "PgBouncer is not installed here" },
  };
}

/** @param {{ root: string, reports: string }} places */
function onPglite(places) {
  return httpTests("PGlite", { TEST_DATABASE: "pglite", FORGET_ANSWERS: "false" }, places);
}

/** The sources of the service and its tests. */
const served = ["bff", "widget"];

/**
 * @param {string} database
 * @param {Record<string, string>} env
 * @param {{ root: string, reports: string }} places
 * @returns {Step}
 */
function httpTests(database, env, places) {
  const step = vitest({ name: `HTTP tests, ${database}`, folder: "bff" }, places, "vitest.http.config.ts");
  return { ...step, env, reads: served, oneOf: "HTTP tests, any database" };
}

/**
 * Shows that the tests that ran on PostgreSQL alone would pass on PGlite.
 *
 * @returns {Step}
 */
function sameStatements() {
  const name = "every statement is the same on PGlite";
  return { name, ...pnpm("run", "statements"), folder: "bff", report: "one", reads: served };
}

/**
 * Compares the answers that earlier runs have seen with the documented ones. The test client itself refuses
 * undocumented answers.
 *
 * @returns {Step}
 */
function documentedAnswers() {
  const name = "every documented answer is produced by a test";
  return { name, ...pnpm("run", "answers", "--strict"), folder: "bff", report: "one", reads: served };
}

/**
 * @param {{ root: string, reports: string }} places
 * @returns {Step}
 */
function simulationTests(places) {
  const what = { name: "the simulation's own tests", folder: "bff" };
  return { ...vitest(what, places, "vitest.sim.config.ts"), reads: ["bff"] };
}

/**
 * A short share of searches that could run for ever. Each run uses another seed, which is printed. A failure prints the
 * command that replays it. `SIM_SEED`, `FUZZ_SEED` and `EXPLORE_SEED` replay a whole share, and `MODEL_SEED` that of
 * the model, which is one of the `longChecks`.
 *
 * @param {{ lives: number, requests: number, actions: number }} share
 * @returns {Step[]}
 */
function shares({ lives, requests, actions }) {
  const shown = { folder: "bff", report: /** @type {const} */ ("one"), tells: /^seed \d+$/m, reads: [] };
  return [
    { name: "simulated lives", ...pnpm("run", "sim", "--lives", `${lives}`, ...seedIn("SIM_SEED")), ...shown },
    {
      name: "requests made from the document",
      ...pnpm("run", "fuzz", "--requests", `${requests}`, ...seedIn("FUZZ_SEED")),
      ...shown,
    },
    {
      name: "a patient who presses whatever is there",
      // Next to all other steps, a screen may take long to appear. One that never appears still fails.
      ...pnpm("run", "explore", "--actions", `${actions}`, "--within", "60", ...seedIn("EXPLORE_SEED")),
      ...shown,
      folder: "e2e",
    },
  ];
}

/** @returns {Step} */
function outages() {
  return {
    name: "alerts report outages",
    ...pnpm("run", "sim", "--outages"),
    folder: "bff",
    report: "one",
    tells: /^seed \d+$/m,
    reads: [],
    leftOut: { pattern: /spawn promtool ENOENT/, why: "promtool is not installed here" },
  };
}

/** The rooms whose mutants are sampled, because a mistake there costs money or is reported to a clinic. */
const roomsOfMoney = ["orders", "collection", "claims", "checkout", "webhooks"].map((room) => `src/${room}`);

/** The tests that should notice a mistake in them. All others would double the time, and notice one by chance. */
const testsOfMoney = [
  "src/",
  ...[
    "orders",
    "collection",
    "claims",
    "operations",
    "spot",
    "hostile",
    "webhook",
    "stores",
    "settlement",
    "self-service",
  ].map((place) => `test/http/${place}`),
].flatMap((path) => ["--tests", path]);

/**
 * The nightly checks: fault injection, simulated orders on both databases and across a deploy, the model of an order, a
 * sample of fifty mutants, planted bugs of the checkout. Also a deploy and a restore under load, two cells, and a
 * release that is built twice.
 *
 * @returns {Step[]}
 */
function longChecks() {
  const one = { folder: "bff", report: /** @type {const} */ ("one"), tells: /^seed \d+/m, reads: [] };
  return [
    {
      name: "every transition and call with every trouble",
      ...pnpm("run", "sim", "--lives", "0", "--coverage"),
      ...one,
    },
    {
      name: "lives end the same on both databases",
      ...pnpm("run", "engines"),
      ...one,
      leftOut: { pattern: /PostgreSQL 15 or newer is not installed here/, why: "PostgreSQL is not installed here" },
    },
    {
      name: "lives begun with the version before end the same",
      ...pnpm("run", "engines", "--before", "last"),
      ...one,
      tells: /^seed \d+.*$/m,
      leftOut: {
        pattern: /PostgreSQL 15 or newer is not installed here|NoVersionBefore/,
        why: "PostgreSQL or the repository's history is not here",
      },
    },
    {
      name: "the model keeps what it promises, and its planted mistakes are found",
      ...pnpm("run", "model", ...seedIn("MODEL_SEED")),
      ...one,
    },
    ...["deploy", "restore"].map((what) => ({
      name: `rehearsal of a ${what}`,
      ...pnpm("run", "rehearse", what, "--times", "1"),
      ...one,
      env: { TEST_DATABASE_URL: "" },
      leftOut: notHere(),
    })),
    {
      name: "rehearsal of two cells",
      ...pnpm("run", "rehearse", "cells"),
      ...one,
      env: { TEST_DATABASE_URL: "" },
      leftOut: notHere(),
    },
    {
      name: "the same commit makes the same release",
      program: process.execPath,
      args: [".ci/same-release.mjs"],
      folder: ".",
      report: /** @type {const} */ ("one"),
      // It clones the last commit, whatever the work tree has.
      reads: [],
    },
    {
      name: "going to production as it was built",
      ...pnpm("run", "rehearse", "production"),
      ...one,
      env: { TEST_DATABASE_URL: "" },
      leftOut: notHere(),
    },
  ];
}

/**
 * Walks that must find planted bugs, and tests that must notice mutants.
 *
 * @returns {Step[]}
 */
function findingPlantedMistakes() {
  const one = { folder: "bff", report: /** @type {const} */ ("one"), tells: /^seed \d+/m, reads: [] };
  return [
    {
      name: "a patient finds planted bugs of the checkout",
      // The seed is fixed, because a plant is found only by walks that reach it.
      ...pnpm("run", "explore", "--planted", "--seed", "1", "--within", "60"),
      ...one,
      folder: "e2e",
    },
    {
      name: "a sample of mutants",
      ...pnpm("run", "mutate", ...roomsOfMoney, ...testsOfMoney, "--sample", "50", "--least", "0.85", "--jobs", "1"),
      ...one,
      mostMinutes: 90,
    },
  ];
}

/**
 * Kills a process together with each kind of concurrent fault. `CRASH_SEED` repeats the same faults, but with other
 * timing, because the processes are real.
 *
 * @returns {Step[]}
 */
function killedProcesses() {
  return [killed("processes killed on PostgreSQL", "--kills", "4"), killedOnPglite()];
}

/** @returns {Step} */
function killedOnPglite() {
  return killed("processes killed on PGlite", "--database", "pglite", "--kills", "2");
}

/**
 * @param {string} name
 * @param {...string} options
 * @returns {Step}
 */
function killed(name, ...options) {
  return {
    name,
    ...pnpm("run", "crash", ...options, "--each-kind", "--customers", "1", ...seedIn("CRASH_SEED")),
    folder: "bff",
    report: "one",
    tells: /^seed \d+$/m,
    reads: [],
    // The run restarts PostgreSQL, so it starts a separate server.
    env: { TEST_DATABASE_URL: "" },
    leftOut: notHere(),
  };
}

/**
 * Follows `bff/docs/start/going-to-production.md` exactly, with an archive of this build: once with the sandbox's
 * parties, and once with the connectors for Chile.
 *
 * @returns {Step[]}
 */
function goingToProductionWithRelease() {
  return [
    ["release", "going to production with a release"],
    ["chile", "an order in Chile with a release, until its payout"],
  ].map(([what = "", name = ""]) => ({
    name,
    ...pnpm("run", "rehearse", what),
    folder: "bff",
    report: /** @type {const} */ ("one"),
    env: { TEST_DATABASE_URL: "" },
    leftOut: notHere(),
  }));
}

/**
 * @param {string} variable
 * @returns {string[]} The seed in the variable; otherwise the command's own choice.
 */
function seedIn(variable) {
  const seed = process.env[variable];
  return seed ? ["--seed", seed] : [];
}

function notHere() {
  return {
    pattern: /NoNginx|NoPrometheus|PostgreSQL 15 or newer is not installed here|NoCluster/,
    why: "nginx, Prometheus, and a PostgreSQL that may be restarted are not installed here",
  };
}

/**
 * @param {{ root: string, reports: string }} places
 * @returns {Step}
 */
export function browserTests({ root, reports }) {
  const name = "browser tests";
  return {
    name,
    program: join(root, "e2e/node_modules/.bin/playwright"),
    args: ["test", "--reporter=list,json"],
    folder: "e2e",
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: reportPath(reports, name) },
    report: "playwright",
  };
}

/**
 * A patient's journeys in Firefox and WebKit too, each with its own driver; and the React package in Next.js.
 *
 * @param {Step} step
 * @returns {Step}
 */
function inMoreBrowsersAndApps(step) {
  return { ...step, env: { ...step.env, OTHER_ENGINES: "true", NEXT_APPS: "true" } };
}

/** @returns {Step} */
function sizes() {
  const step = { name: "size budgets", ...pnpm("exec", "size-limit"), folder: "widget" };
  return { ...step, report: "one", reads: ["widget", "bff"] };
}

/**
 * @param {{ name: string, folder: string }} what
 * @param {{ root: string, reports: string }} places
 * @param {string} [config]
 * @returns {Step}
 */
export function vitest(what, { root, reports }, config) {
  const reporters = ["--reporter=verbose", "--reporter=json", `--outputFile.json=${reportPath(reports, what.name)}`];
  return {
    ...what,
    program: join(root, what.folder, "node_modules/.bin/vitest"),
    args: ["run", ...(config ? ["--config", config] : []), ...reporters],
    report: "vitest",
  };
}

/**
 * @param {string} reports
 * @param {string} stepName
 * @returns {string} The path of a step's report from its test runner.
 */
export function reportPath(reports, stepName) {
  return join(reports, `${fileName(stepName)}.json`);
}

/**
 * @param {string} stepName
 * @returns {string}
 */
export function fileName(stepName) {
  return stepName.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/**
 * The pnpm that runs this, which need not be on the path. In a manual run, the version in package.json.
 *
 * @param {...string} args
 * @returns {{ program: string, args: string[] }}
 */
export function pnpm(...args) {
  const running = process.env.npm_execpath;
  if (running && /pnpm[^/\\]*$/.test(running)) return { program: process.execPath, args: [running, ...args] };
  return { program: "npx", args: ["-y", "pnpm@10.34.8", ...args] };
}
