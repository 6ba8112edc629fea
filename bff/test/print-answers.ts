/**
 * `pnpm --filter bff answers`: every documented answer with the tests that have seen it, by endpoint and status, as
 * recorded in `.cache/answers` by the last HTTP tests. `--missing` prints only those that no test has seen; `--strict`
 * fails if there are any.
 */
import { fileURLToPath } from "node:url";
import { documentedEndpoints } from "../src/partner-docs/endpoint-groups.ts";
import { type AnswerRow, readAnswers, tableOf } from "./answers.ts";

const folder = fileURLToPath(new URL("../.cache/answers/", import.meta.url));
const isStrict = process.argv.includes("--strict");
const printsMissingOnly = isStrict || process.argv.includes("--missing");

const table = tableOf(
  documentedEndpoints().map(([, endpoint]) => endpoint),
  readAnswers(folder),
);
const missing = table.filter(({ seen }) => seen.length === 0);
print(printsMissingOnly ? missing : table);
process.stdout.write(`\n${table.length - missing.length} of ${table.length} documented answers were seen by a test.\n`);
if (isStrict && missing.length > 0) process.exitCode = 1;

function print(rows: readonly AnswerRow[]): void {
  let endpoint = "";
  for (const row of rows) {
    if (row.endpoint !== endpoint) process.stdout.write(`\n${row.endpoint}\n`);
    endpoint = row.endpoint;
    process.stdout.write(`  ${row.status} ${row.code ?? "success"}: ${testsOf(row)}\n`);
  }
}

function testsOf({ seen }: AnswerRow): string {
  if (seen.length === 0) return "no test";
  const tests = [...new Set(seen.map(({ file, test }) => (test === "" ? file : `${file} > ${test}`)))].sort();
  return tests.length === 1 ? (tests[0] ?? "") : tests.map((test) => `\n    ${test}`).join("");
}
