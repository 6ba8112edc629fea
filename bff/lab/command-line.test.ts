import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const model = fileURLToPath(new URL("./model/main.ts", import.meta.url));

function run(...options: readonly string[]) {
  return spawnSync(process.execPath, ["--conditions=source", model, ...options], { encoding: "utf8" });
}

test("--help prints what a command does and its options, and runs nothing", () => {
  const { status, stdout } = run("--help");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Checks the model .*pnpm model \[--seed N\] \[--traces N\]/s);
  expect(stdout).not.toMatch(/^ ?\*/m);
});

test.each([
  { given: ["--trace", "5"], reason: /Unknown option '--trace'.*pnpm model \[--seed N\]/s },
  { given: ["--traces", "many"], reason: /^--traces takes a whole number, not "many"\.$/m },
  { given: ["--seed=-1"], reason: /^--seed takes a whole number, not "-1"\.$/m },
])("the command line $given is refused with a reason, without a stack trace", ({ given, reason }) => {
  const { status, stdout, stderr } = run(...given);
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain("    at ");
});
