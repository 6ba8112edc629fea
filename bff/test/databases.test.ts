import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("./http", import.meta.url));
const httpTests = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

it("the short check runs a test on both databases if its result may differ between them", () => {
  const asking = httpTests.filter(({ text }) => /\b(testDatabaseKind|layTestDatabase|TEST_DATABASE)\b/.test(text));
  expect(asking.length).toBeGreaterThan(0);
  expect(asking.filter(({ text }) => !text.includes("both-databases")).map(({ file }) => file)).toEqual([]);
});
