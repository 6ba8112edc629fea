import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Mutant } from "./find-mutants.ts";

const LIST = new URL("equal-mutants.txt", import.meta.url);

/** By fingerprint, the reasons why some mutants cannot be observed. */
export type EqualMutants = ReadonlyMap<string, string>;

/**
 * Identifies a mutant by its function and the text around it. Moving the function or reformatting it keeps the
 * fingerprint; changing that text does not, since the reason may no longer hold.
 */
export function fingerprintOf(packageName: string, { inFunction, context, change }: Mutant): string {
  const text = context.replaceAll(/\s+|,(?=\s*[)\]}])/g, "");
  return createHash("sha256")
    .update(JSON.stringify([packageName, inFunction, text, change]))
    .digest("hex")
    .slice(0, 12);
}

/** Reads the list: one mutant per line, its fingerprint and the reason. */
export function readEqualMutants(): EqualMutants {
  const lines = readFileSync(LIST, "utf8").trim().split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

export function writeEqualMutants(equal: EqualMutants): void {
  const lines = [...equal].map(([fingerprint, reason]) => `${fingerprint} ${reason}\n`);
  writeFileSync(LIST, lines.toSorted().join(""));
}
