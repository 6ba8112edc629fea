import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { readStatements } from "./conformance/statements.ts";

it("the list of statements names a test file that exists for each", () => {
  const statements = readStatements();
  expect(statements.length).toBeGreaterThanOrEqual(209);
  expect(statements.filter(({ file }) => !existsSync(new URL(`http/${file}.test.ts`, import.meta.url)))).toEqual([]);
});
