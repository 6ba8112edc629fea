import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readTextFile } from "../files/read-text-file.ts";
import { FROM_SOURCE } from "./programs.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Whether a process runs; an ended process that was not reaped yet does not count. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/\) Z /.test((await readTextFile(`/proc/${pid}/stat`)) ?? "");
}

/** A starter with two parts: one stops when asked, the other does not. */
const STARTER = `
import { startPart } from ${JSON.stringify(here("./child-process.ts"))};
import { startKeeper } from ${JSON.stringify(here("./start-keeper.ts"))};
import { writeFileSync } from "node:fs";
const keeper = startKeeper(${JSON.stringify(FROM_SOURCE.keeper)}, 1_000);
const program = (onTerm) => \`process.on("SIGTERM", () => {\${onTerm}}); setInterval(() => {}, 1e6);\`;
const parts = ["process.exit(0)", ""].map((onTerm) => startPart("part", ["--eval", program(onTerm)], process.env, 1_000));
parts.forEach(keeper.keep);
writeFileSync("parts", parts.map(({ pid }) => pid).join(" "));
setInterval(() => {}, 1e6);
`;

it("the start keeper ends the parts of a killed starter, even those that ignore the signal", {
  timeout: 60_000,
}, async () => {
  const starter = spawn(process.execPath, ["--input-type=module", "--eval", STARTER], {
    cwd: folder,
    stdio: "ignore",
  });
  const parts = await vi.waitFor(
    async () => {
      const pids = ((await readTextFile(join(folder, "parts"))) ?? "").split(" ").map(Number).filter(Boolean);
      expect(pids).toHaveLength(2);
      return pids;
    },
    { timeout: 30_000 },
  );
  const alive = () => Promise.all(parts.map(isAlive));
  expect(await alive()).toEqual([true, true]);
  starter.kill("SIGKILL");
  await vi.waitFor(async () => expect(await alive()).toEqual([false, false]), { timeout: 20_000 });
});
