import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Work } from "./work.ts";

/** No mutant and no test file takes longer; a mutant that never ends counts as killed. */
const SILENCE_MS_MAX = 10 * 60_000;
/** Ending the process also ends everything that it has started, which runs in a separate process group. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const config = fileURLToPath(new URL("../../vitest.mutate.config.ts", import.meta.url));

/**
 * Runs work in a child process, and passes on each line of JSON that it writes. Fewer lines than tasks mean that the
 * process ended early, or was stopped for lack of progress. Everything that it started ends with it. Returns the end of
 * its output.
 */
export async function doWork(folder: string, work: Work, onLine: (line: unknown) => void): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "aapd-mutate-"));
  const [given, done] = [join(scratch, "work.json"), join(scratch, "done.jsonl")];
  writeFileSync(given, JSON.stringify(work));
  writeFileSync(done, "");
  let read = 0;
  const readOn = () => {
    const whole = readFileSync(done, "utf8").split("\n").slice(0, -1);
    for (const line of whole.slice(read)) onLine(JSON.parse(line));
    const isProgress = whole.length > read;
    read = whole.length;
    return isProgress;
  };
  try {
    const output = await runVitest(folder, { WORK_FILE: given, WORK_DONE: done }, readOn);
    readOn();
    return output;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Stops the run after too long without progress. */
function runVitest(folder: string, environment: Record<string, string>, isProgress: () => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(folder, "node_modules/.bin/vitest"), ["run", "--config", config], {
      cwd: folder,
      env: { ...process.env, ...environment, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const end = () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const endBoth = () => {
      end();
      process.exit(1);
    };
    for (const signal of SIGNALS) process.once(signal, endBoth);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output = `${output}${chunk.toString()}`.slice(-5_000);
      });
    let since = Date.now();
    const watch = setInterval(() => {
      if (isProgress()) since = Date.now();
      else if (Date.now() - since > SILENCE_MS_MAX) end();
    }, 1_000);
    child.once("error", reject);
    child.once("exit", () => {
      clearInterval(watch);
      for (const signal of SIGNALS) process.off(signal, endBoth);
      resolve(output);
    });
  });
}
