import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { type Statement, statements } from "./conformance/statements.ts";

const INTRODUCTION =
  "What partners rely on, statement by statement, and the test that holds it. `test/conformance.test.ts` writes this page from\n`test/conformance/statements.ts`; a run of the HTTP tests fails where a test named here is missing or does not pass, so that all of\nit held when the page's commit was taken.";

function tableOf([about, rows]: [string, readonly Statement[]]): string {
  const cells = rows.map(
    ({ says, file, title }) => `| ${says} | \`${file}\`: ${title.replaceAll("|", "\\|")} | held |`,
  );
  return [`## ${about}\n`, "| Statement | Test | Result |", "|---|---|---|", ...cells].join("\n");
}

it("the page of what the interface promises is the list that the HTTP tests are held against", async () => {
  const all = Object.values(statements).flat();
  expect(all.length).toBeGreaterThanOrEqual(179);
  expect(all.filter(({ file }) => !existsSync(new URL(`http/${file}.test.ts`, import.meta.url)))).toEqual([]);
  const page = ["# What the interface promises", INTRODUCTION, ...Object.entries(statements).map(tableOf)];
  await expect(`${page.join("\n\n")}\n`).toMatchFileSnapshot("../docs/reference/interface-conformance.md");
});
