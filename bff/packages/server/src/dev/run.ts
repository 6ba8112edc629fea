import { CommanderError } from "commander";
import type { Surroundings } from "./command-parts.ts";
import { wordsOf } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs one command line and returns its exit code: 0, 1 for a refusal or failure, 2 for an invalid command line. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await createProgram(surroundings).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    surroundings.writeError(`${wordsOf(error)}\n`);
    return 1;
  }
}
