import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Runs before the first run of all HTTP tests, and discards the answers of earlier runs, because the code may have
 * changed since. Later runs on other databases, and runs by hand, add to the stored answers.
 */
export function setup(): void {
  if (process.env.FORGET_ANSWERS !== "true") return;
  for (const folder of ["answers", "statements"]) {
    rmSync(fileURLToPath(new URL(`../.cache/${folder}/`, import.meta.url)), { recursive: true, force: true });
  }
}
