import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { browserTests, build, onPostgres, pnpm, reportPath, short, vitest } from "./plan.mjs";

/** Packages, with the packages that depend on each. */
const builtOn = new Map([
  ["bff", ["bff", "widget", "host-demo", "e2e"]],
  ["widget", ["widget", "host-demo", "e2e"]],
  ["host-demo", ["host-demo", "e2e"]],
  ["e2e", ["e2e"]],
]);

/** Rooms whose HTTP tests have another name than the room. */
const testedBy = new Map([
  ["back-office", ["operations", "console"]],
  ["checkout", ["spot"]],
  ["frame", ["widget-host"]],
  ["partner-docs", ["docs"]],
  ["patients", ["spot"]],
  ["tenants", ["partners", "providers"]],
  ["webhooks", ["webhook"]],
]);

/**
 * `pnpm test changed [REF]`: checks everything that the changed files reach. Imports select unit and browser tests. An
 * HTTP test imports the whole service, so it is selected by the room's name. A change of the product also has one
 * patient pay.
 *
 * @param {{ root: string, reports: string }} places
 * @param {string} [ref] By default `main`; the comparison is with the point where this branch left it.
 * @returns {import("./plan.mjs").Plan}
 */
export function planForChanged(places, ref) {
  /** @param {...string} args */
  const git = (...args) => execFileSync("git", args, { cwd: places.root, encoding: "utf8", stdio: "pipe" }).trim();
  const since = git("merge-base", ref ?? "main", "HEAD");
  const files = [
    git("diff", "--name-only", "--diff-filter=d", since),
    git("ls-files", "--others", "--exclude-standard"),
  ]
    .flatMap((lines) => lines.split("\n"))
    .filter(Boolean);
  return stepsFor(files, since, places);
}

/**
 * @param {readonly string[]} files
 * @param {string} since
 * @param {{ root: string, reports: string }} places
 * @returns {import("./plan.mjs").Plan}
 */
export function stepsFor(files, since, places) {
  const changed = [...builtOn.keys()].filter((name) => files.some((file) => file.startsWith(`${name}/`)));
  const reached = [...new Set(changed.flatMap((name) => builtOn.get(name) ?? []))];
  const isProduct = files.some((file) => /^(bff|widget|host-demo)\/(?!docs\/|.*\.(test\.tsx?|md)$)/.test(file));
  const http = httpTestsOf(files, places.root);
  const someOnPostgres = short(onPostgres(places));
  /** @type {import("./plan.mjs").Step[]} */
  const browser = [];
  const inBrowser = short(browserTests(places));
  if (changed.includes("e2e")) browser.push({ ...withArgs(inBrowser, `--only-changed=${since}`), mayBeEmpty: true });
  if (isProduct)
    browser.push({ ...named(withArgs(inBrowser, "tests/pay.spec.ts", "--project=phone"), "a patient pays", places) });
  return {
    needs: {
      browser: browser.length > 0,
      postgres: http.length > 0,
      nginx: http.length > 0,
      promtool: false,
      pgbouncer: false,
      languages: http.length > 0,
    },
    first: browser.length > 0 ? [build()] : [],
    lanes: [
      [
        ...browser,
        // It adds to the answers of the last complete run, with which the next `pnpm test` may compare.
        ...(http.length > 0
          ? [{ ...withArgs(someOnPostgres, ...http), env: { ...someOnPostgres.env, FORGET_ANSWERS: "false" } }]
          : []),
      ],
      [...staticChecks(files, reached, since), ...unitTests(files, reached, since, places)],
    ],
  };
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} reached
 * @param {string} since
 * @returns {import("./plan.mjs").Step[]}
 */
function staticChecks(files, reached, since) {
  const one = { folder: ".", report: /** @type {const} */ ("one") };
  const code = files.filter((file) => /\.(m?js|tsx?)$/.test(file));
  const filters = reached.flatMap((name) => ["--filter", name]);
  return [
    {
      name: "format and lint",
      ...pnpm("exec", "biome", "ci", "--changed", `--since=${since}`, "--no-errors-on-unmatched"),
      ...one,
    },
    ...(code.length > 0 ? [{ name: "lint by types", ...pnpm("exec", "oxlint", "--type-aware", ...code), ...one }] : []),
    ...(reached.length > 0
      ? [{ name: "types", ...pnpm(...filters, "--no-bail", "--workspace-concurrency=2", "run", "typecheck"), ...one }]
      : []),
  ];
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} reached
 * @param {string} since
 * @param {{ root: string, reports: string }} places
 * @returns {import("./plan.mjs").Step[]}
 */
function unitTests(files, reached, since, places) {
  const tested = reached.filter((name) => name !== "e2e");
  const byImports = tested.map((folder) => ({
    ...withArgs(vitest({ name: `unit tests, ${folder}`, folder }, places), `--changed=${since}`),
    mayBeEmpty: true,
  }));
  const isRead = files.some((file) => file.startsWith("bff/") || file.endsWith(".md"));
  const rules = { name: "the rules of the house", folder: "bff" };
  return isRead ? [...byImports, withArgs(vitest(rules, places), "test/")] : byImports;
}

/**
 * @param {readonly string[]} files
 * @param {string} root
 * @returns {string[]} Filters for vitest, each of which matches a test.
 */
function httpTestsOf(files, root) {
  const there = readdirSync(join(root, "bff/test/http"));
  const rooms = files.flatMap((file) => /^bff\/src\/([^/]+)\/(?!.*\.test\.ts$)/.exec(file)?.[1] ?? []);
  const isStore = files.some((file) => /^bff\/src\/.*-store\.ts$/.test(file));
  const names = [...rooms.flatMap((room) => testedBy.get(room) ?? [room]), ...(isStore ? ["stores"] : [])].filter(
    (name) => there.some((each) => each.startsWith(name)),
  );
  const own = files
    .filter((file) => /^bff\/test\/http\/.*\.test\.ts$/.test(file))
    .map((file) => file.slice("bff/".length));
  return [...new Set([...names.map((name) => `test/http/${name}`), ...own])];
}

/**
 * @param {import("./plan.mjs").Step} step
 * @param {...string} args
 */
function withArgs(step, ...args) {
  return { ...step, args: [...step.args, ...args] };
}

/**
 * @param {import("./plan.mjs").Step} step
 * @param {string} name
 * @param {{ reports: string }} places
 * @returns {import("./plan.mjs").Step}
 */
function named(step, name, { reports }) {
  return { ...step, name, env: { ...step.env, PLAYWRIGHT_JSON_OUTPUT_FILE: reportPath(reports, name) } };
}
