/**
 * The project's English: retired words, long sentences and lines, test titles, READMEs and commit messages.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allFindings, debtChanges, debtOf, folderOf, outdatedExceptions, recordedDebt } from "./english/debt.ts";
import { findingsIn, rules } from "./english/rules.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const words = (count: number) => Array.from({ length: count }, () => "abc").join(" ");

describe("English linter", () => {
  it.each([
    ["guide.md", "Nobody reads it.\n", "retired words"],
    ["guide.md", "| Word | How it stands |\n", "retired words"],
    ["a.ts", "// The caller is told.\nconst a = 1;\n", "retired words"],
    ["a.ts", "/**\n * A table\n * of its own.\n */\nconst a = 1;\n", "retired words"],
    ["a.tsx", 'throw new Error("The work goes on.");\n', "retired words"],
    ["a.ts", 'logger.warn({}, "nothing is amiss");\n', "retired words"],
    ["a.ts", 'command.description("Names whoever may sign in.");\n', "retired words"],
    ["a.test.ts", 'it("keeps what is left", () => {});\n', "retired words"],
    ["a.css", "a { /* Stands beside the button. */ color: red; }\n", "retired words"],
    ["a.sql", "-- Who knows a RUT uses up nothing.\nselect 1;\n", "retired words"],
    ["a.ts", "const standingOf = 1;\n", "retired names"],
    ["guide.md", `${words(16)}\n${words(15)}.\n`, "long sentences"],
    ["a.ts", `/**\n * ${words(16)}\n * ${words(15)}.\n */\nconst a = 1;\n`, "long sentences"],
    ["guide.md", `${"w".repeat(121)}\n`, "long lines"],
    ["a.ts", `// ${"w".repeat(118)}\nconst a = 1;\n`, "long lines"],
    ["a.test.ts", `describe("a refund", () => it("${"w".repeat(111)}", () => {}));\n`, "long titles"],
    ["a.test.ts", 'it.each([1])("and %s as well", () => {});\n', "titles without subject"],
    ["a/README.md", "Line.\n\n".repeat(66), "long readmes"],
  ] as const)("finds in %s %j: %s", (path, content, rule) => {
    expect(findingsIn(path, content).map((finding) => finding.rule)).toEqual([rule]);
  });

  it("has an example of every rule", () => {
    expect(rules).toHaveLength(7);
  });

  it.each([
    ["guide.md", "What is a RUT?\n\n`nobody` and `told` are names.\n\n```sh\nnobody\n```\n"],
    ["guide.md", "## Next to a price {#beside-a-price}\n"],
    ["guide.md", `- ${words(20)}\n- ${words(20)}\n\n${words(20)}.\n${words(20)}.\n`],
    ["guide.md", `| ${"w".repeat(130)} |\n\n[link](https://example.com/${"w".repeat(120)})\n`],
    ["a.ts", '// biome-ignore lint/x: nobody\nconst text = "nobody"; // A table.\nconst field = row.told_at;\n'],
    ["a.test.ts", 'describe("a refund", () => it("cancels the loan", () => {}));\n'],
    ["a/README.md", "Line.\n\n".repeat(65)],
  ])("finds nothing in %s %j", (path, content) => expect(findingsIn(path, content)).toEqual([]));

  it("gives the line of each finding", () => {
    const content = "const a = 1;\n\n/**\n * Fine.\n *\n * Nobody.\n */\nconst b = 2;\n";
    expect(findingsIn("a.ts", content)).toEqual([
      { rule: "retired words", path: "a.ts", line: 6, text: "nobody: Nobody." },
    ]);
  });
});

describe("recorded findings", () => {
  it.each([
    ["bff/src/orders/payments/pay.ts", "bff/src/orders"],
    ["bff/test/http/orders/a.test.ts", "bff/test"],
    ["widget/embed/protocol.ts", "widget/embed"],
    ["README.md", "."],
  ])("count %s in %s", (path, folder) => expect(folderOf(path)).toBe(folder));

  it("differ when a number rises and when it falls", () => {
    const recorded = { a: { "long lines": 1, "long titles": 2 }, b: { "long lines": 1 } };
    expect(debtChanges(recorded, { a: { "long lines": 2, "long titles": 1 } })).toEqual([
      { folder: "a", rule: "long lines", recorded: 1, now: 2 },
      { folder: "a", rule: "long titles", recorded: 2, now: 1 },
      { folder: "b", rule: "long lines", recorded: 1, now: 0 },
    ]);
  });

  it("match the repository: lower a number with `pnpm english --keep`, and rewrite what raises one", () => {
    expect(debtChanges(recordedDebt(), debtOf(allFindings(repository)))).toEqual([]);
  });

  it("have no exception that is no longer needed", () => expect(outdatedExceptions(repository)).toEqual([]));
});

describe("commit message check", () => {
  const check = (message: string) => {
    const folder = mkdtempSync(join(tmpdir(), "aapd-message-"));
    writeFileSync(join(folder, "message"), message);
    const { status, stderr } = spawnSync(process.execPath, [
      join(repository, ".githooks/check-message.mjs"),
      join(folder, "message"),
    ]);
    rmSync(folder, { recursive: true });
    return {
      status,
      problems: String(stderr)
        .split("\n")
        .slice(1, -1)
        .map((line) => line.trim()),
    };
  };

  it.each([
    "fix(bff/webhooks): retry once when a kept-alive socket was closed\n\nThe body says why.\n",
    "docs: process receipts in the guide",
    "Merge branch 'main'",
  ])("accepts %j", (message) => expect(check(message)).toEqual({ status: 0, problems: [] }));

  it.each([
    ["fix what a last look found", "Start with a type"],
    [`fix(bff): ${"w".repeat(63)}`, "73 characters; the limit is 72"],
    ["fix(bff): added a test", 'imperative instead of "added"'],
    ["fix(bff): adds a test", 'imperative instead of "adds"'],
    ["fix(bff): Add a test", "lower case"],
    ["fix(bff): add a test.", "full stop"],
    ["fix(bff): add a test\nand more", "second line blank"],
    ["fix(bff): keep what is left", "retired turn: what is … as a noun"],
  ])("refuses %j", (message, problem) => {
    const { status, problems } = check(message);
    expect(status).toBe(1);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});
