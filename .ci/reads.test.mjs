/**
 * A step that names its inputs (`reads`) is not run again before one of them changes. So it must name all of them:
 * here, every file that its programs import, and every path that their code contains.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { areas, planFor } from "./plan.mjs";
import { common } from "./unchanged.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = areas.flatMap((area) => {
  const { first, lanes } = planFor(area, { root, reports: join(root, ".cache/check") });
  return [...first, ...lanes.flat()].filter(({ reads = [] }) => reads.length > 0);
});

/**
 * The files that each step runs or reads first.
 *
 * @type {Record<string, readonly string[]>}
 */
const programs = {
  "HTTP tests, PostgreSQL": ["bff/test/http/**/*.test.ts", "bff/vitest.http.config.ts"],
  "HTTP tests, PGlite": ["bff/test/http/**/*.test.ts", "bff/vitest.http.config.ts"],
  "HTTP tests, PostgreSQL, the same patients for all clinics": ["bff/test/http/spot/**/*.test.ts"],
  "every documented answer is produced by a test": ["bff/test/print-answers.ts"],
  "every statement is the same on PGlite": ["bff/test/same-statements.ts"],
  "interface changes are compatible": ["bff/lab/changes/main.ts"],
  "alerts fire where they must": ["bff/deploy/alerts/*.yaml"],
  "the simulation's own tests": ["bff/lab/{sim,model}/**/*.test.ts", "bff/vitest.sim.config.ts"],
  "size budgets": ["widget/.size-limit.json", "widget/vite*.config.ts"],
  "unit tests, widget": ["widget/{src,embed,scripts,packages}/**/*.test.{ts,tsx}", "widget/vitest.config.ts"],
  "unit tests, host-demo": ["host-demo/src/**/*.test.ts", "host-demo/vitest.config.ts"],
};

/** As imports name them. */
const packages = ["bff", "widget", "host-demo", "e2e"];

test("each step with named inputs is examined", () => {
  assert.deepEqual([...new Set(steps.map(({ name }) => name))].sort(), Object.keys(programs).sort());
});

for (const [name, globs] of Object.entries(programs))
  test(`names all its inputs: ${name}`, () => {
    const { reads = [] } = steps.find((step) => step.name === name) ?? {};
    const entries = globSync([...globs], { cwd: root, exclude: (path) => path.includes("node_modules") });
    assert.ok(entries.length > 0);
    assert.deepEqual(notNamed(inputsOf(entries), reads), []);
  });

test("an input that is not named is found", () => {
  const inputs = inputsOf(["widget/src/words/e2e-words.test.ts", "bff/lab/changes/main.ts"]);
  assert.deepEqual(notNamed(inputs, ["widget", "bff"]), ["e2e/kit/words.ts"]);
  assert.deepEqual(notNamed(inputs, ["bff", "e2e"]).includes("widget/embed/protocol.ts"), true);
});

/**
 * @param {ReadonlySet<string>} inputs
 * @param {readonly string[]} reads
 */
function notNamed(inputs, reads) {
  const named = [...common, ...reads];
  return [...inputs].filter((path) => !named.some((one) => path === one || path.startsWith(`${one}/`)));
}

/**
 * @param {readonly string[]} entries From the repository's root.
 * @returns {ReadonlySet<string>} Files and folders that exist, from the root.
 */
function inputsOf(entries) {
  const inputs = new Set(entries);
  // The loop also visits the elements that it adds.
  for (const path of inputs) if (/\.(m?js|tsx?)$/.test(path)) for (const other of namedIn(path)) inputs.add(other);
  return inputs;
}

/**
 * @param {string} file
 * @returns {string[]} The files and folders in its imports and relative paths, without whole packages.
 */
function namedIn(file) {
  const text = readFileSync(join(root, file), "utf8");
  const relatives = [...text.matchAll(/["'`]((?:\.\.?\/)+[^"'`$\s]*)["'`]/g)].map(([, path = ""]) =>
    relative(root, join(root, dirname(file), path)),
  );
  const imported = [...text.matchAll(/(?:from|import\(?) ?["']((?:bff|widget|host-demo|e2e)\/[^"']+)["']/g)].map(
    ([, path = ""]) => [`${path}.ts`, path].find((each) => existsSync(join(root, each))) ?? path.split("/", 1)[0] ?? "",
  );
  return [...relatives, ...imported].filter(
    (path) =>
      !/^\.\.|(^|\/)(node_modules|dist|\.cache|\.data)(\/|$)/.test(path) &&
      existsSync(join(root, path)) &&
      (statSync(join(root, path)).isFile() || !["", ...packages].includes(path) || imported.includes(path)),
  );
}
