import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { ProgramFailed, runProgram } from "./child-program.ts";

const folder = mkdtempSync(join(tmpdir(), "aapd-child-program-"));

function programOf(name: string, source: string) {
  const path = join(folder, `${name}.ts`);
  const child = new URL("./child-program.ts", import.meta.url).pathname;
  writeFileSync(path, `import { answerMessage } from ${JSON.stringify(child)};\n${source}`);
  return { file: pathToFileURL(path), timeoutMs: 60_000, heapMegabytesMax: 64 };
}

it("a child program runs without our environment, at a lower priority, and its answer is returned", {
  timeout: 60_000,
}, async () => {
  const program = programOf(
    "answers",
    `import { getPriority } from "node:os";
    answerMessage(async (message) => [message, Object.keys(process.env).includes("PATH"), getPriority()]);`,
  );
  const bytes = new Uint8Array([1, 2]);
  expect(await runProgram(program, bytes)).toEqual([bytes, false, 10]);
});

it("a child program that takes too long is killed", { timeout: 60_000 }, async () => {
  const program = programOf("hangs", "answerMessage(() => new Promise((done) => setTimeout(done, 1e9)));");
  await expect(runProgram({ ...program, timeoutMs: 1 }, {})).rejects.toThrow(ProgramFailed);
});

it("a child program that exits early or runs out of memory is a failure", { timeout: 60_000 }, async () => {
  const fails = programOf("fails", 'answerMessage(() => Promise.reject(new Error("no")));');
  await expect(runProgram(fails, {})).rejects.toThrow(ProgramFailed);
  const greedy = programOf(
    "greedy",
    "answerMessage(async () => { for (const kept = []; ; ) kept.push(Array(1e5).fill({})); });",
  );
  await expect(runProgram(greedy, {})).rejects.toThrow(ProgramFailed);
});
