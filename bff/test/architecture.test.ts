/**
 * Checks the directions of the design. Each rule is also broken on purpose in a small tree, which exposes a rule that
 * never matches.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DOORS_MAX, dependencyRules, domainFiles, OPEN_ROOMS, rooms, wordRules } from "./architecture-rules.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folders = ["bff", "widget", "host-demo", "e2e"].flatMap((name) =>
  [
    ...["src", "sandbox", "connectors", "embed", "test", "migrations", "kit", "tests", "support", "scripts"],
    // Excludes the React package, which imports @aapd/embed by a name that only partners have installed.
    ...["server", "embed", "e2e"].map((one) => `packages/${one}/src`),
  ].map((folder) => `${name}/${folder}`),
);

interface Violation {
  rule: string;
  from: string;
  to: string;
}

/** The files of a tree with their dependencies, and each dependency that a rule forbids. */
async function readDependencies(root: string): Promise<ICruiseResult> {
  const result = await cruise(
    folders.filter((folder) => existsSync(join(root, folder))),
    {
      baseDir: root,
      // Imports of types count too, because they are dependencies as well.
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      enhancedResolveOptions: {
        exportsFields: ["exports"],
        conditionNames: ["source", "import", "node", "default", "types"],
      },
      validate: true,
      ruleSet: { forbidden: dependencyRules.map((rule) => ({ ...rule, severity: "error" })) },
    },
  );
  if (typeof result.output === "string") throw new Error("dependency-cruiser answered with text");
  expect(result.output.summary.totalCruised).toBeGreaterThan(0);
  return result.output;
}

function forbidden({ summary }: ICruiseResult): Violation[] {
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

const ROOM_OF = new RegExp(`^bff/src/(${rooms.join("|")})/`);

/** The files of the closed rooms that other rooms import, with the names of those rooms. */
function doorsOf({ modules }: ICruiseResult): Map<string, Set<string>> {
  const doors = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = ROOM_OF.exec(source)?.[1];
    if (from === undefined || /[.]test[.]tsx?$/.test(source)) continue;
    for (const { resolved } of dependencies) {
      const room = ROOM_OF.exec(resolved)?.[1];
      if (room === undefined || room === from || OPEN_ROOMS.includes(room)) continue;
      doors.set(resolved, (doors.get(resolved) ?? new Set()).add(from));
    }
  }
  return doors;
}

/** The rooms that each room imports, without those that it reaches through another of them. */
function arrowsOf({ modules }: ICruiseResult): string[] {
  const imported = new Map<string, Set<string>>(rooms.map((room) => [room, new Set()]));
  for (const { source, dependencies } of modules) {
    const from = ROOM_OF.exec(source)?.[1];
    if (from === undefined || /[.]test[.]tsx?$/.test(source)) continue;
    for (const { resolved } of dependencies) {
      const to = ROOM_OF.exec(resolved)?.[1];
      if (to !== undefined && to !== from) imported.get(from)?.add(to);
    }
  }
  const below = new Map<string, Set<string>>();
  // Rooms are in order from the lowest, so that all that a room imports is known before the room.
  for (const room of rooms) {
    const direct = imported.get(room) ?? new Set();
    below.set(room, new Set([...direct, ...[...direct].flatMap((one) => [...(below.get(one) ?? [])])]));
  }
  return [...imported].flatMap(([room, direct]) =>
    [...direct].filter((to) => ![...direct].some((one) => below.get(one)?.has(to))).map((to) => `${room} --> ${to}`),
  );
}

const FOLDER_OF = new RegExp(`^(bff/src/(?:${rooms.join("|")})/[^/]+)/`);

/** The pairs of a room's folders that import each other, directly or through its other folders. */
function cyclesOf({ modules }: ICruiseResult): string[] {
  const reached = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = FOLDER_OF.exec(source)?.[1];
    if (from === undefined || /[.]test[.]tsx?$/.test(source)) continue;
    for (const { resolved } of dependencies) {
      const to = FOLDER_OF.exec(resolved)?.[1];
      if (to === undefined || to === from || dirname(to) !== dirname(from)) continue;
      reached.set(from, (reached.get(from) ?? new Set()).add(to));
    }
  }
  // The iteration of a set includes elements that are added during it.
  for (const folders of reached.values())
    for (const one of folders) for (const to of reached.get(one) ?? []) folders.add(to);
  return [...reached]
    .flatMap(([from, folders]) =>
      [...folders].filter((to) => from < to && reached.get(to)?.has(from)).map((to) => `${from} and ${to}`),
    )
    .toSorted();
}

/** Every line of a tree that a rule forbids. */
function forbiddenWords(root: string): Violation[] {
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
    );
  expect(files.length).toBeGreaterThan(0);
  return files.flatMap((file) =>
    wordRules
      .filter((rule) => rule.files.test(file) && !rule.except.test(file))
      .map((rule) => ({ rule: rule.name, from: file, to: rule.forbidden.exec(code(root, file))?.[0] }))
      .flatMap(({ rule, from, to }) => (to === undefined ? [] : [{ rule, from, to }])),
  );
}

/** A file's text without its comments, which may mention anything. */
function code(root: string, file: string): string {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  return file.endsWith(".sql") ? text.replaceAll(/--.*$/gm, "") : text.replaceAll(/(?<!:)\/\/.*$/gm, "");
}

function explained(violations: readonly Violation[]): string[] {
  const comments = new Map([...dependencyRules, ...wordRules].map((rule) => [rule.name, rule.comment]));
  return violations.map(({ rule, from, to }) => `${from} → ${to}\n  breaks ${rule}: ${comments.get(rule)}`);
}

describe("the product", () => {
  let product: ICruiseResult;
  beforeAll(async () => {
    product = await readDependencies(repository);
  }, 60_000);

  test("has no import that the design forbids", () => {
    expect(explained(forbidden(product))).toEqual([]);
  });

  test("has no more files that other rooms import than the recorded number", () => {
    const doors = [...doorsOf(product)].map(([file, by]) => `${file} ← ${[...by].join(", ")}`).toSorted();
    expect(doors.length, doors.join("\n")).toBeLessThanOrEqual(DOORS_MAX.all);
    expect(doors.filter((door) => !door.endsWith("← app")).length).toBeLessThanOrEqual(DOORS_MAX.withoutApp);
  });

  test("is drawn in bff/README.md as its rooms import each other", () => {
    const drawing = /```mermaid\n([^`]*)```/.exec(readFileSync(join(repository, "bff/README.md"), "utf8"))?.[1] ?? "";
    const drawn = [...drawing.matchAll(/^ +(.+ --> .+)$/gm)].map(([, arrow]) => arrow);
    expect(new Set(drawn)).toEqual(new Set(arrowsOf(product)));
  });

  test("has no two folders inside a room that import each other", () => {
    expect(cyclesOf(product)).toEqual([]);
  });

  test("uses no word that the design forbids", () => {
    expect(explained(forbiddenWords(repository))).toEqual([]);
  });

  test("has every file that the rules mention", () => {
    expect(domainFiles.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  });
});

/** One violation of every rule: the file that breaks it, and its content. */
const planted: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "everything-resolves": ["bff/src/orders/lost.ts", `import "./nowhere.ts";`],
  "no-cycles": ["bff/src/orders/circle.ts", `import type { Half } from "./half-circle.ts"; export type Circle = Half;`],
  "packages-meet-at-exports": ["widget/src/reach.ts", `import "../../bff/src/contract/plain.ts";`],
  "bff-exports-its-contract-only": ["host-demo/src/inside.ts", `import "../../bff/src/orders/plain.ts";`],
  "widget-exports-its-embed-kit-only": ["host-demo/src/screens.ts", `import "../../widget/src/plain.ts";`],
  "bff-knows-no-other-package": ["bff/src/platform/page.ts", `import "../../../widget/src/plain.ts";`],
  "widget-knows-bff-only": ["widget/src/demo.ts", `import "../../host-demo/src/plain.ts";`],
  "nothing-knows-the-browser-tests": ["host-demo/src/tested.ts", `import "../../e2e/tests/plain.ts";`],
  "embed-kit-stands-alone": [
    "widget/embed/heavy.ts",
    `import * as z from "zod/mini"; export const schema = z.string();`,
  ],
  "contract-stands-alone": ["bff/src/contract/reads.ts", `import "node:fs";`],
  "partner-client-knows-only-the-contract": ["bff/src/partner-client/deep.ts", `import "../platform/plain.ts";`],
  "packages-know-what-partners-know": ["bff/packages/server/src/deep.ts", `import "../../../src/platform/plain.ts";`],
  "features-know-ports-only": ["bff/src/orders/calls.ts", `import "../gateways/http-gateways.ts";`],
  "gateways-do-not-know-each-other": ["bff/src/gateways/protocols/messenger.ts", `import "./insurer.ts";`],
  "service-knows-no-sandbox": ["bff/src/app/server.ts", `import "../../sandbox/plain.ts";`],
  "connectors-are-outside": ["bff/connectors/kit/peeks.ts", `import "../../src/tenants/plain.ts";`],
  "service-knows-no-connector": ["bff/src/orders/meets.ts", `import "../../connectors/kit/plain.ts";`],
  "sandbox-parties-are-outside": ["bff/sandbox/insurer/peeks.ts", `import "../../src/tenants/plain.ts";`],
  "sandbox-parties-do-not-know-each-other": ["bff/sandbox/insurer/meets.ts", `import "../bank/plain.ts";`],
  "sql-in-stores-only": [
    "bff/src/orders/lifecycle/create-order.ts",
    `import { sql } from "kysely"; export const one = sql.raw("1");`,
  ],
  "drivers-in-platform-only": [
    "bff/src/orders/driver-store.ts",
    `import type { Pool } from "pg"; export type Own = Pool;`,
  ],
  "stores-are-the-bottom": ["bff/src/orders/order-store.ts", `import "../gateways/insurer.ts";`],
  "stores-know-no-routes": ["bff/src/settlement/payout-store.ts", `import "./routes.ts";`],
  "stores-know-no-requests": ["bff/src/settlement/payouts/asked-store.ts", `import "../../platform/http/plain.ts";`],
  "stores-of-a-folder-are-its-own": [
    "bff/src/settlement/reconciliation/peeks.ts",
    `import "../payouts/plain-store.ts";`,
  ],
  "routes-call-operations": ["bff/src/settlement/routes.ts", `import "./plain-store.ts";`],
  "routes-are-mounted-not-used": ["bff/src/settlement/payouts/pay-out.ts", `import "./routes.ts";`],
  "stores-and-routes-are-private": ["bff/src/claims/post.ts", `import "../settlement/payouts/plain-store.ts";`],
  "http-tests-use-the-surface": [
    "bff/test/http/orders/peeks.test.ts",
    `import "../../../src/settlement/payouts/plain-store.ts";`,
  ],
  "domain-imports-vocabulary-only": ["bff/src/platform/provider.ts", `import type {} from "./plain.ts";`],
  "nothing-imports-main": ["bff/src/aapd.ts", `import "./main.ts";`],
  "product-knows-no-tests": ["bff/src/orders/fake.ts", `import "../../test/plain.ts";`],
  "product-needs-no-development-packages": ["bff/src/orders/dev.ts", `import fc from "fast-check"; fc.seed;`],
  "time-is-given": ["bff/src/orders/late.ts", "export const late = (due: Date): boolean => due < new Date();"],
  "randomness-is-given": ["bff/sandbox/insurer/luck.ts", "export const luck = (): number => Math.random();"],
  "network-is-for-gateways": [
    "bff/src/webhooks/send.ts",
    `import { request } from "node:https"; export const send = request;`,
  ],
  "sql-reads-no-clock-and-no-dice": ["bff/migrations/0001_start.sql", "create table a (at timestamptz default now());"],
  "hooks-are-events": [
    "bff/src/orders/dependencies.ts",
    `import type { Transaction } from "./plain.ts"; export type Hook = (tx: Transaction) => void;`,
  ],
  "no-bins": ["bff/src/orders/utils.ts", "export const anything = 1;"],
  ...Object.fromEntries(
    rooms
      .filter((room) => room !== "contract" && room !== "platform")
      .map((room) => [
        `${room}-has-doors`,
        [`bff/src/${room === "app" ? "claims" : "app"}/past-${room}.ts`, `import "../${room}/inside/plain.ts";`],
      ]),
  ),
  ...Object.fromEntries(
    rooms
      .slice(0, -1)
      .map((room, floor) => [
        `${room}-looks-down`,
        [`bff/src/${room}/looks-up.ts`, `import "../${rooms[floor + 1]}/plain.ts";`],
      ]),
  ),
};

/** Files that the planted ones import, without violations. */
const harmless = [
  "bff/src/gateways/http-gateways.ts",
  "bff/src/gateways/insurer.ts",
  "bff/src/gateways/protocols/insurer.ts",
  ...rooms.flatMap((room) => [`bff/src/${room}/plain.ts`, `bff/src/${room}/inside/plain.ts`]),
  "bff/src/platform/http/plain.ts",
  "bff/src/settlement/payouts/plain.ts",
  "bff/src/settlement/payouts/plain-store.ts",
  "bff/src/gateways/insurer.ts",
  "bff/connectors/kit/plain.ts",
  "bff/sandbox/plain.ts",
  "bff/sandbox/bank/plain.ts",
  "bff/src/main.ts",
  "bff/test/plain.ts",
  "widget/src/plain.ts",
  "host-demo/src/plain.ts",
  "e2e/tests/plain.ts",
];

describe("a tree in which every rule is broken once", () => {
  let tree = "";
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), "architecture-"));
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    };
    for (const file of harmless)
      write(file, "// new Date(), Math.random() and now() in a comment are no fault.\nexport {};\n");
    for (const [file, text] of Object.values(planted)) write(file, text);
    write("bff/src/claims/first/asks.ts", `import "../second/plain.ts";`);
    write("bff/src/claims/second/plain.ts", "export {};");
    write("bff/src/claims/second/asks-back.ts", `import "../third/plain.ts";`);
    write("bff/src/claims/third/plain.ts", `import "../first/plain.ts";`);
    write("bff/src/claims/first/plain.ts", "export {};");
    write("bff/src/orders/half-circle.ts", `import type { Circle } from "./circle.ts"; export type Half = Circle;`);
    for (const name of ["bff", "widget"]) {
      write(`${name}/package.json`, readFileSync(join(repository, name, "package.json"), "utf8"));
      symlinkSync(join(repository, name, "node_modules"), join(tree, name, "node_modules"));
    }
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  test("breaks each rule exactly once", { timeout: 60_000 }, async () => {
    const dependencies = await readDependencies(tree);
    const found = [...forbidden(dependencies), ...forbiddenWords(tree)];
    const bitten = (rule: string) => found.filter((violation) => violation.rule === rule).map(({ from }) => from);
    const rules = [...dependencyRules, ...wordRules].map(({ name }) => name);
    expect(Object.keys(planted).sort()).toEqual([...rules].sort());
    for (const [rule, [file]] of Object.entries(planted)) expect(bitten(rule), rule).toContain(file);
    expect(found.filter(({ from }) => harmless.includes(from))).toEqual([]);
    expect(cyclesOf(dependencies)).toEqual([
      "bff/src/claims/first and bff/src/claims/second",
      "bff/src/claims/first and bff/src/claims/third",
      "bff/src/claims/second and bff/src/claims/third",
    ]);
    expect(doorsOf(dependencies).get("bff/src/settlement/payouts/plain-store.ts")).toEqual(new Set(["claims"]));
  });
});
