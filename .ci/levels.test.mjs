/**
 * Two levels: `pnpm test all` has every test that `pnpm test` leaves out, and names the test that protects the same in
 * the short check.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stepsFor } from "./changed.mjs";
import { areas, planFor } from "./plan.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const places = { root, reports: join(root, ".cache/check") };
const [ofChange, ofAll] = ["change", "all"].map((area) => stepsOf(area));
const picturesAndOtherBrowsers = ["a picture of a state", "the same way in another browser or framework"];

/** @param {string} area */
function stepsOf(area) {
  const { first, lanes } = planFor(area, places);
  return new Map([...first, ...lanes.flat()].map((step) => [step.name, step]));
}

/**
 * @typedef {object} BrowserTest
 * @property {string} name With its project and file.
 * @property {string} file From the repository's root.
 * @property {readonly string[]} tags
 * @property {readonly string[]} levels Its annotations about the level.
 */

/**
 * @param {string} stepName
 * @returns {BrowserTest[]} The tests that a step of the whole check would run, except in browsers that are missing
 *   here.
 */
function browserTests(stepName) {
  const { program, args, folder, env } = ofAll?.get(stepName) ?? assert.fail(stepName);
  const listed = args.filter((arg) => !arg.startsWith("--reporter"));
  const { PLAYWRIGHT_JSON_OUTPUT_FILE: _report, ...others } = env ?? {};
  const output = execFileSync(program, [...listed, "--list", "--reporter=json"], {
    cwd: join(root, folder),
    env: { ...process.env, ...others },
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  const { suites } = JSON.parse(output);
  return testsIn(suites, []);
}

/**
 * @param {readonly any[]} suites
 * @param {readonly string[]} titles
 * @returns {BrowserTest[]}
 */
function testsIn(suites, titles) {
  return suites.flatMap(({ title, specs = [], suites: inner = [] }) => [
    ...specs.flatMap((/** @type {any} */ spec) =>
      spec.tests.map((/** @type {any} */ { projectName, annotations }) => ({
        name: [projectName, ...titles, title, spec.title].join(" › "),
        file: `e2e/tests/${spec.file}`,
        tags: spec.tags,
        levels: annotations
          .filter((/** @type {any} */ { type }) => type === "level")
          .map((/** @type {any} */ { description }) => description),
      })),
    ),
    ...testsIn(inner, [...titles, title]),
  ]);
}

test("each browser test states its level and the reason", () => {
  const all = browserTests("browser tests");
  assert.ok(all.length > 500, `${all.length} tests`);
  const shortFiles = new Set(all.filter(({ tags }) => tags.includes("short")).map(({ file }) => file));
  const journeys = ["patient", "partner", "operator"].map((who) => `the ${who}'s journey`);
  const faults = all.flatMap(({ name, tags, levels: [why = "", ...more] }) => {
    const level = tags.filter((tag) => ["short", "long"].includes(tag)).join(" and ");
    if (more.length > 0 || !["short", "long"].includes(level)) return [`${name}: ${level || "no level"}`];
    if (level === "short") return journeys.includes(why) ? [] : [`${name}: ${why}`];
    const isProtected = picturesAndOtherBrowsers.includes(why) || isInShortCheck(why, shortFiles);
    return isProtected ? [] : [`${name}: not in the short check: ${why}`];
  });
  assert.deepEqual(faults, []);
  for (const journey of journeys)
    assert.ok(
      all.some(({ levels }) => levels.includes(journey)),
      journey,
    );
});

test("each other long test names the short test that protects the same guarantee", () => {
  const files = globSync("{src,sandbox,connectors,packages,lab,test}/**/*.test.ts", { cwd: join(root, "bff") });
  const shortFiles = new Set(globSync("e2e/tests/*.spec.ts", { cwd: root }));
  const tagged = files.flatMap((file) => taggedIn(join("bff", file)));
  assert.ok(tagged.length > 10, `${tagged.length} places`);
  const faults = tagged.filter(({ why }) => !isInShortCheck(why, shortFiles));
  assert.deepEqual(faults, []);
});

/**
 * The places with the tag `long`, each with the reason in the line above.
 *
 * @param {string} file From the repository's root.
 * @returns {{ file: string, line: number, why: string }[]}
 */
function taggedIn(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (!/@module-tag long\b|tags: .*"long"/.test(line)) return [];
    const above = lines.slice(Math.max(0, index - 3), index + 1).join("\n");
    return [{ file, line: index + 1, why: /In the short check: (.+)\.$/m.exec(above)?.[1] ?? "" }];
  });
}

/**
 * @param {string} why The name of a step, or the path of a test file from the repository's root.
 * @param {ReadonlySet<string>} shortFiles The files of browser tests that have one in the short check.
 */
function isInShortCheck(why, shortFiles) {
  if (why.startsWith("e2e/")) return shortFiles.has(why);
  if (ofChange?.has(why)) return true;
  if (!/^(bff|widget|host-demo)\/.*\.test\.tsx?$/.test(why) || !existsSync(join(root, why))) return false;
  return !/@module-tag long\b/.test(readFileSync(join(root, why), "utf8"));
}

test("the whole check has every step of the short check and of each area, in full", () => {
  const narrowed = areas
    .filter((area) => area !== "all")
    .flatMap((area) => [...stepsOf(area).values()].filter((step) => !isWithin(step, ofAll?.get(step.name))))
    .map(({ name }) => name);
  assert.deepEqual(narrowed, []);
});

/**
 * @param {import("./plan.mjs").Step} narrow
 * @param {import("./plan.mjs").Step | undefined} wide
 * @returns {boolean} Whether the narrow step runs the same as the wide one, or less: it has more arguments, which
 *   select, or lower numbers.
 */
function isWithin(narrow, wide) {
  if (wide === undefined || narrow.program !== wide.program || narrow.folder !== wide.folder) return false;
  const widest = wide.args.filter((arg) => !/^\d+$/.test(arg) && !narrow.args.includes(arg));
  const [few, many] = [narrow, wide].map(({ args }) => args.filter((arg) => /^\d+$/.test(arg)).map(Number));
  const chosen = narrow.args.filter((arg) => !/^\d+$/.test(arg) && !wide.args.includes(arg));
  const isChoice = /^(--tagsFilter=|--grep-invert=|test\/)/;
  return (
    widest.length === 0 &&
    chosen.every((arg) => isChoice.test(arg)) &&
    (few ?? []).every((number, index) => number <= (many?.[index] ?? 0))
  );
}

test("a change is checked with its packages, their dependants, its room's tests and one patient's visit", () => {
  /** @param {...string} files */
  const names = (...files) => {
    const { lanes } = stepsFor(files, "HEAD", places);
    return lanes.flat().map(({ name }) => name);
  };
  const always = ["format and lint"];
  assert.deepEqual(names("README.md"), [...always, "the rules of the house"]);
  assert.deepEqual(names("e2e/tests/pay.spec.ts"), ["browser tests", ...always, "lint by types", "types"]);
  const orders = stepsFor(["bff/src/orders/order.ts"], "HEAD", places).lanes.flat();
  assert.deepEqual(
    orders.map(({ name }) => name),
    [
      "a patient pays",
      "HTTP tests, PostgreSQL",
      ...always,
      "lint by types",
      "types",
      ...["bff", "widget", "host-demo"].map((name) => `unit tests, ${name}`),
      "the rules of the house",
    ],
  );
  assert.ok(orders.find(({ name }) => name.startsWith("HTTP"))?.args.includes("test/http/orders"));
  const store = stepsFor(["bff/src/orders/order-store.ts"], "HEAD", places).lanes.flat();
  assert.ok(store.find(({ name }) => name.startsWith("HTTP"))?.args.includes("test/http/stores"));
});
