import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LEDGER_ACCOUNTS } from "./transfers.ts";

test("the reference documents every ledger account, and only those", () => {
  const document = readFileSync(new URL("../../../docs/reference/ledger.md", import.meta.url), "utf8");
  const [table] = /\| Account \|[\s\S]*?\n\n/.exec(document) ?? [""];
  const rows = table.split("\n").flatMap((line) => /^\| `(\w+)` \| (.*) \|$/.exec(line)?.slice(1, 3) ?? []);
  expect(rows).toEqual(Object.entries(LEDGER_ACCOUNTS).flat());
});
