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
const picturesAndOthers = [
  "a picture of a state",
  "the same way elsewhere: another browser or framework, or from source",
];

/** @param {string} area */
function stepsOf(area) {
  const { first, lanes } = planFor(area, places);
  return new Map([...first, ...lanes.flat()].map((step) => [step.name, step]));
}

/**
 * @typedef {object} BrowserTest
 * @property {string} name With its project and file.
 * @property {string} title
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
        title: spec.title,
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
  const shortOnes = new Set(
    all.filter(({ tags }) => tags.includes("short")).map(({ file, title }) => `${file} › ${title}`),
  );
  const journeys = ["patient", "partner", "operator"].map((who) => `the ${who}'s journey`);
  const faults = all.flatMap(({ name, tags, levels: [why = "", ...more] }) => {
    const level = tags.filter((tag) => ["short", "long"].includes(tag)).join(" and ");
    if (more.length > 0 || !["short", "long"].includes(level)) return [`${name}: ${level || "no level"}`];
    if (level === "short") return journeys.includes(why) ? [] : [`${name}: ${why}`];
    if (picturesAndOthers.includes(why)) return [];
    const [where = "", ...titles] = why.split(" › ");
    return notShort(where, titles, shortOnes).map((missing) => `${name}: not in the short check: ${missing}`);
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
  const tagged = files.flatMap((file) => taggedIn(join("bff", file)));
  assert.ok(tagged.length > 10, `${tagged.length} places`);
  const faults = tagged.flatMap(({ file, line, where, titles }) =>
    notShort(where, titles, new Set()).map((missing) => `${file}:${line}: not in the short check: ${missing}`),
  );
  assert.deepEqual(faults, []);
});

/**
 * The places with the tag `long`, each with what protects the same in the comment above.
 *
 * @param {string} file From the repository's root.
 * @returns {{ file: string, line: number, where: string, titles: string[] }[]}
 */
function taggedIn(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.flatMap((text, index) => {
    if (!/@module-tag long\b|tags: .*"long"/.test(text)) return [];
    const above = lines.slice(Math.max(0, index - 4), index).join("\n");
    const [, where = "", title] =
      /In the short check: ([\w /.-]+?)(?::\s+(?:\/\/ |\* )?([^\n]+))?\.\n/.exec(`${above}\n`) ?? [];
    return [{ file, line: index + 1, where: where === "here" ? file : where, titles: title ? [title] : [] }];
  });
}

/**
 * @param {string} where The name of a step, or the path of a test file from the repository's root.
 * @param {readonly string[]} titles Tests of the file, or groups of tests.
 * @param {ReadonlySet<string>} shortOnes The files and titles of the browser tests in the short check.
 * @returns {string[]} What is not in the short check.
 */
function notShort(where, titles, shortOnes) {
  if (titles.length === 0) return ofChange?.has(where) ? [] : [where || "nothing is named"];
  return titles
    .filter((title) => !shortOnes.has(`${where} › ${title}`) && !isShortTest(where, title))
    .map((title) => `${where} › ${title}`);
}

/**
 * @param {string} file From the repository's root.
 * @param {string} title
 * @returns {boolean} Whether the file has such a test for Vitest, without the tag `long` on it or around it.
 */
function isShortTest(file, title) {
  if (!/^(bff|widget|host-demo)\/.*\.test\.tsx?$/.test(file) || !existsSync(join(root, file))) return false;
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  if (lines.some((line) => /@module-tag long\b/.test(line))) return false;
  const at = lines.findIndex((line) => ['"', "`"].some((quote) => line.includes(`${quote}${title}${quote}`)));
  const isLong = (/** @type {number} */ index) =>
    lines.slice(index, index + 2).some((line) => /tags: .*"long"/.test(line));
  return at >= 0 && !isLong(at) && !linesAround(lines, at).some(isLong);
}

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @returns {number[]} The lines above that contain this one, by their indentation.
 */
function linesAround(lines, at) {
  const around = [];
  for (let index = at, depth = indentOf(lines[at]); index >= 0 && depth > 0; index -= 1) {
    if (lines[index]?.trim() === "" || indentOf(lines[index]) >= depth) continue;
    depth = indentOf(lines[index]);
    around.push(index);
  }
  return around;
}

/** @param {string | undefined} line */
function indentOf(line = "") {
  return line.length - line.trimStart().length;
}

test("a test that does not exist, or is long itself, protects nothing", () => {
  const claims = "bff/test/http/claims/claims.test.ts";
  assert.deepEqual(
    ["no such test", "no longer counts once new access works"].map((title) => isShortTest(claims, title)),
    [false, false],
  );
  assert.equal(isShortTest(claims, "a claim that was given up is not filed when the failed portal is retried"), true);
  assert.deepEqual(notShort("simulated lives", [], new Set()), []);
  assert.deepEqual(notShort("alerts report outages", [], new Set()), ["alerts report outages"]);
});

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
