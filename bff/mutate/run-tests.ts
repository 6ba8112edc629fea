import { spawn } from "node:child_process";
import { join } from "node:path";

/** No mutant is worth more; one that never ends is noticed too. */
const MUTANT_MS_MAX = 4 * 60_000;

/**
 * Runs test files, or all without any, to the first failure. Whatever the run started ends with it.
 */
export function runTests(
  folder: string,
  tests: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const vitest = join(folder, "node_modules/.bin/vitest");
  const args = ["run", "--config", "vitest.mutate.config.ts", "--bail", "1", "--reporter", "dot", ...tests];
  return new Promise((resolve, reject) => {
    const child = spawn(vitest, args, {
      cwd: folder,
      env: { ...process.env, ...environment, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const endGroup = () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const limit = tests.length === 0 ? undefined : setTimeout(endGroup, MUTANT_MS_MAX);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(limit);
      resolve({ passed: code === 0, output });
    });
  });
}
