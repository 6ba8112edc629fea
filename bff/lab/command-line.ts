import { readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";

const SEEDS = 1_000_000_000;

/**
 * Parses the command line. `--help` prints the comment at the top of `file`, the command's own. An unknown option or an
 * unexpected value prints the problem and the usage, and exits with 2.
 */
export function readCommandLine<Config extends ParseArgsConfig>(
  file: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`${usageOf(file)}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}\n\n${usageOf(file)}`);
  }
}

/** The integer value of an option, or `fallback` without it. Exits with 2 if it is not an integer. */
export function wholeNumber<Fallback>(option: string, text: string | undefined, fallback: Fallback): number | Fallback {
  if (text === undefined) return fallback;
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse(`${option} takes a whole number, not "${text}".`);
}

/** The value of `--seed`, or a seed from the clock. */
export function seedFrom(text: string | undefined): number {
  return wholeNumber("--seed", text, Date.now() % SEEDS);
}

/** Prints why a command line is refused, and exits with 2. */
export function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

/** The first comment of a file, without its marks. */
function usageOf(file: string): string {
  const [, comment = ""] = /\/\*\*?\n(.*?)\n \*\//s.exec(readFileSync(file, "utf8")) ?? [];
  return comment.replaceAll(/^ \* ?/gm, "");
}
