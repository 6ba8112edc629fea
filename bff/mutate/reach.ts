import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { runTests } from "./run-tests.ts";

/** Which test files call each function of the service, by the name that `functionName` gives it. */
export type Reach = ReadonlyMap<string, ReadonlySet<string>>;

const lineSchema = z.object({ test: z.string(), called: z.array(z.string()) });

/**
 * Runs all tests once and keeps which functions each test file has called, until a file of the service or of its tests
 * changes. Throws if a test fails: mutants would be found by tests that fail anyhow.
 */
export async function readReach(folder: string, say: (text: string) => void): Promise<Reach> {
  const kept = join(folder, ".cache/mutate", `${hashOf(folder)}.jsonl`);
  if (!existsSync(kept)) {
    say("All tests run once, to see which of them reach what. This takes as long as they take.");
    mkdirSync(join(folder, ".cache/mutate"), { recursive: true });
    const written = `${kept}.new`;
    rmSync(written, { force: true });
    const { passed, output } = await runTests(folder, [], { REACH_FILE: written });
    if (!passed) throw new TestsFail(`Tests fail without any mutant:\n${output.slice(-3_000)}`);
    renameSync(written, kept);
  }
  const reach = new Map<string, Set<string>>();
  for (const line of readFileSync(kept, "utf8").trim().split("\n")) {
    const { test, called } = lineSchema.parse(JSON.parse(line));
    for (const name of called) reach.set(name, (reach.get(name) ?? new Set()).add(relative(folder, test)));
  }
  return reach;
}

class TestsFail extends Error {
  override readonly name = "TestsFail";
}

function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const part of ["src", "sandbox", "test", "migrations", "mutate"])
    for (const entry of readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .sort())
      hash.update(entry).update(readFileSync(entry));
  return hash.digest("hex").slice(0, 16);
}
