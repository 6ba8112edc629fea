import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBff, type TestBff } from "../../start-bff.ts";

/* The tasks for agents: each grader accepts a right solution, and refuses a wrong one and the fixture. */

const agents = new URL("../../../lab/agents/", import.meta.url).href;
const { TASKS, gradeTask } = await import(`${agents}grade.mjs`);
const { openWorld } = await import(`${agents}world.mjs`);
const { solutions } = await import(`${"../../agents/"}solutions.mjs`);

let bff: TestBff;
let world: { close(): void };
beforeAll(async () => {
  bff = await startBff({ now: new Date() });
  world = await openWorld(bff.orderApi);
});
afterAll(async () => {
  world.close();
  await bff.close();
});

describe("the tasks for agents", () => {
  it("are twenty, each with a prompt, a fixture and a grader, and listed in their README", () => {
    const readme = readFileSync(new URL("README.md", agents), "utf8");
    expect(TASKS).toHaveLength(20);
    expect(Object.keys(solutions).toSorted()).toEqual(TASKS);
    for (const task of TASKS) {
      const files = readdirSync(fileURLToPath(new URL(`tasks/${task}/`, agents)), {
        recursive: true,
        encoding: "utf8",
      });
      expect(new Set(files)).toEqual(new Set(["fixture", "fixture/solution.mjs", "grade.mjs", "prompt.md"]));
      expect(readme).toContain(`\`${task}\``);
    }
  });

  it.each<string>(TASKS)(
    "%s: the grader accepts a right solution, and refuses a wrong one and the fixture",
    async (task) => {
      await gradeTask(task, solutions[task].right, world);
      await expect(gradeTask(task, solutions[task].wrong, world)).rejects.toThrow();
      const fixture = await import(`${agents}tasks/${task}/fixture/solution.mjs`);
      await expect(gradeTask(task, fixture, world)).rejects.toThrow();
    },
  );
});
