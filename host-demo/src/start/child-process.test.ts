import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readTextFile } from "../files/read-text-file.ts";
import { startPart } from "./child-process.ts";
import { readSettings } from "./settings.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "part-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A program that ends this long after it is asked to. */
async function partEndingAfter(ms: number, stopWithinMs: number) {
  const sign = join(folder, String(ms));
  const program = `
    process.on("SIGTERM", () => setTimeout(() => process.exit(0), ${ms}));
    setInterval(() => {}, 1e6);
    require("node:fs").writeFileSync(${JSON.stringify(sign)}, "runs");`;
  const part = startPart("part", ["--eval", program], process.env, stopWithinMs);
  await vi.waitFor(async () => expect(await readTextFile(sign)).toBe("runs"), { timeout: 15_000 });
  return part;
}

it("a part may take its own time to end, and is killed beyond its limit", { timeout: 60_000 }, async () => {
  const slow = await partEndingAfter(300, 30_000);
  await slow.stop();
  expect(await slow.ended).toBe(0);
  const stuck = await partEndingAfter(60_000, 300);
  await stuck.stop();
  expect(await stuck.ended).toBe(1);
});

it.each([
  [{}, 35_000],
  [{ SHUTDOWN_TIMEOUT_SECONDS: "60" }, 70_000],
])("a part has longer to end than the service takes to stop: %j", (environment, ms) => {
  expect(readSettings(environment, { isDevelopment: false }).stopWithinMs).toBe(ms);
});
