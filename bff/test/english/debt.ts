import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { listTrackedFiles } from "../words.ts";
import { type Finding, findingsIn, type Rule } from "./rules.ts";

const debtSchema = z.record(z.string(), z.record(z.string(), z.int()));

/** How many places of each folder break each rule. A folder that is absent breaks none. */
export type Debt = z.infer<typeof debtSchema>;

export const DEBT_FILE = new URL("./debt.json", import.meta.url);

/** The numbers that were recorded last. */
export function recordedDebt(): Debt {
  return z.parse(debtSchema, JSON.parse(readFileSync(DEBT_FILE, "utf8")));
}

/** Skips files that never change, files that a program writes, and the linter's own examples. */
const EXEMPT =
  /^bff\/migrations\/|\/released\/|^bff\/test\/english|^bff\/test\/words\.|^bff\/src\/platform\/database\/tables\.ts$|^bff\/CHANGELOG\.md$/;

/** A finding that stays, because its text cannot change. */
export interface Exception {
  readonly rule: Rule;
  readonly path: string;
  /** The beginning of the finding's text. */
  readonly text: string;
  readonly reason: string;
}

const STEP_FIELD = { rule: "retired names", text: "standing", reason: "operators' scripts read the field" } as const;

export const EXCEPTIONS: readonly Exception[] = [
  { path: "bff/src/back-office/timeline/order-timeline.ts", ...STEP_FIELD },
  { path: "bff/src/back-office/cli/print-timeline.ts", ...STEP_FIELD },
  { path: "bff/src/back-office/console/console-endpoints.ts", ...STEP_FIELD },
  { path: "bff/src/back-office/console/pages/order-pages.ts", ...STEP_FIELD },
  {
    path: "bff/src/platform/http/admission-store.ts",
    rule: "retired names",
    text: "standing",
    reason: "the column of a database function that a released migration defines",
  },
  {
    path: "bff/src/patients/consent-texts.ts",
    rule: "long sentences",
    text: "I authorise keeping my card and charging it {{later_charge}} once more",
    reason: "patients have accepted this text, and its hash is stored with their consent",
  },
];

const isOf =
  ({ path, rule, text }: Finding) =>
  (exception: Exception) =>
    exception.path === path && exception.rule === rule && text.startsWith(exception.text);

/** All findings in the tracked files of the repository, without the exceptions. */
export function allFindings(repository: string): Finding[] {
  return everyFinding(repository).filter((finding) => !EXCEPTIONS.some(isOf(finding)));
}

/** The exceptions without a finding, which can be deleted. */
export function outdatedExceptions(repository: string): Exception[] {
  const findings = everyFinding(repository);
  return EXCEPTIONS.filter((exception) => !findings.some((finding) => isOf(finding)(exception)));
}

function everyFinding(repository: string): Finding[] {
  return listTrackedFiles(repository)
    .filter((path) => /\.(?:tsx?|jsx|mjs|md|css|sql)$/.test(path) && !EXEMPT.test(path))
    .flatMap((path) => findingsIn(path, readFileSync(join(repository, path), "utf8")));
}

/** The folder that a file counts towards: a room of a source or docs folder, otherwise the first two levels. */
export function folderOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  const depth = /^(?:bff\/(?:src|docs|lab)|widget\/src)\//.test(path) ? 3 : 2;
  return folders.slice(0, depth).join("/") || ".";
}

/** Counts findings by folder and rule, in a stable order. */
export function debtOf(findings: readonly Finding[]): Debt {
  const debt: Debt = {};
  for (const { path, rule } of findings.toSorted((a, b) => compare(a.path, b.path) || compare(a.rule, b.rule))) {
    const folder = folderOf(path);
    const counts = debt[folder] ?? {};
    debt[folder] = { ...counts, [rule]: (counts[rule] ?? 0) + 1 };
  }
  return Object.fromEntries(Object.entries(debt).toSorted(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface DebtChange {
  readonly folder: string;
  readonly rule: string;
  readonly recorded: number;
  readonly now: number;
}

/** The numbers that differ from the recorded ones. */
export function debtChanges(recorded: Debt, now: Debt): DebtChange[] {
  return [...new Set([...Object.keys(recorded), ...Object.keys(now)])].toSorted(compare).flatMap((folder) => {
    const [before = {}, after = {}] = [recorded[folder], now[folder]];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .map((rule) => ({ folder, rule, recorded: before[rule] ?? 0, now: after[rule] ?? 0 }))
      .filter((change) => change.recorded !== change.now);
  });
}
