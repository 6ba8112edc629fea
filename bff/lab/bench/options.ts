import { readCommandLine, refuse } from "../command-line.ts";

/** Parses the options of a benchmark with these parts. `printRow` reads `--json` itself. */
export function benchOptions(
  file: string,
  parts: readonly string[] = [],
): { readonly isQuick: boolean; readonly only: string | null } {
  const { values } = readCommandLine(file, {
    options: { quick: { type: "boolean", default: false }, only: { type: "string" }, json: { type: "boolean" } },
  });
  const { quick: isQuick, only = null } = values;
  if (only !== null && !parts.includes(only))
    refuse(`--only takes ${parts.join(", ") || "nothing here"}, not "${only}".`);
  return { isQuick, only };
}
