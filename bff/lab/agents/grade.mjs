/**
 * `node lab/agents/grade.mjs <task> <folder> [order API]`: grades `solution.mjs` of a folder against the sandbox of an
 * order API, by default the one that `pnpm start` serves. Exits with 0 if the solution is right.
 */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openWorld } from "./world.mjs";

const folderOfTasks = new URL("tasks/", import.meta.url);
export const TASKS = readdirSync(folderOfTasks).toSorted();

/** Throws if the solution, a module's exports, is wrong. */
export async function gradeTask(task, solution, world) {
  const { grade } = await import(new URL(`${task}/grade.mjs`, folderOfTasks).href);
  await grade(solution, world);
}

if (import.meta.main) {
  const [task, folder, orderApi = "http://127.0.0.1:4010"] = process.argv.slice(2);
  if (!TASKS.includes(task) || folder === undefined) {
    console.error(`node lab/agents/grade.mjs <task> <folder> [order API]\nTasks: ${TASKS.join(", ")}`);
    process.exit(2);
  }
  const world = await openWorld(orderApi);
  try {
    await gradeTask(task, await import(pathToFileURL(resolve(folder, "solution.mjs")).href), world);
    console.log(`${task}: right`);
  } catch (error) {
    console.error(`${task}: ${error.message}`);
    process.exitCode = 1;
  } finally {
    world.close();
  }
}
