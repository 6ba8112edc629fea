import { afterAll, type RunnerTask, type RunnerTestFile } from "vitest";
import { readStatements, type Statement } from "./statements.ts";

const statements = readStatements();

/*
 * Setup of the HTTP tests: each statement of the interface that names a file must have a test there that passed. A run
 * of selected tests is not checked.
 */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the first argument which fixtures are wanted.
afterAll(({}, file: Readonly<Partial<RunnerTestFile>>) => {
  const { filepath = "", tasks = [] } = file;
  const held = statements.filter(({ file }) => filepath.endsWith(`/test/http/${file}.test.ts`));
  const tests = testsIn(tasks);
  if (held.length === 0 || tests.some(({ mode }) => mode === "skip")) return;
  const broken = held.filter((statement) => !isHeld(statement, tests));
  if (broken.length > 0)
    throw new StatementNotHeld(
      broken.map(({ says, title }) => `"${says}" is held by no test "${title}" that passed.`).join("\n"),
    );
});

/** Thrown when a statement has no test, or its test failed. */
class StatementNotHeld extends Error {
  override readonly name = "StatementNotHeld";
}

function testsIn(tasks: readonly RunnerTask[]): RunnerTask[] {
  return tasks.flatMap((task) => (task.type === "suite" ? testsIn(task.tasks) : [task]));
}

/** A parametrised title stands for several tests, all of which must pass. */
function isHeld({ title }: Statement, tests: readonly RunnerTask[]): boolean {
  const pattern = title
    .split(/%[sjd]|\$\w+/)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
  const named = tests.filter(({ name }) => new RegExp(`^${pattern}$`, "s").test(name));
  return named.length > 0 && named.every(({ result }) => result?.state === "pass");
}
