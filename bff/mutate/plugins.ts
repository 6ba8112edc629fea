import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Plugin } from "vitest/config";
import * as z from "zod";
import { functionsOf, parse } from "./find-mutants.ts";

const replacementSchema = z.object({ file: z.string(), start: z.int(), end: z.int(), replacement: z.string() });

/** Loads one file of the service with a mutant in it, which is given as JSON. */
export function mutantPlugin(folder: string, json: string): Plugin {
  const { file, start, end, replacement } = replacementSchema.parse(JSON.parse(json));
  return {
    name: "mutant",
    enforce: "pre",
    load(id) {
      if (relative(folder, id) !== file) return null;
      const text = readFileSync(id, "utf8");
      return text.slice(0, start) + replacement + text.slice(end);
    },
  };
}

/** Has every function of the service say that it was called; `keep-reach.ts` listens. */
export function reachPlugin(folder: string): Plugin {
  return {
    name: "reach",
    enforce: "pre",
    load(id) {
      const file = relative(folder, id);
      if (!file.startsWith("src/") || !file.endsWith(".ts") || file.endsWith(".test.ts")) return null;
      return sayingCalled(file, readFileSync(id, "utf8"));
    },
  };
}

/** The name under which a function says that it was called. */
export function functionName(file: string, number: number): string {
  return `${file}#${number}`;
}

function sayingCalled(file: string, text: string): string {
  const source = parse(file, text);
  const inserted: [number, string][] = [];
  functionsOf(source).forEach(({ body }, number) => {
    const call = `globalThis.saysCalled?.(${JSON.stringify(functionName(file, number))})`;
    const start = body.getStart(source);
    if ("statements" in body) inserted.push([start + 1, `${call};`]);
    else inserted.push([start, `(${call}, `], [body.end, ")"]);
  });
  // From the end, so that the places before it stay where they are.
  inserted.sort(([one], [other]) => other - one);
  return inserted.reduce((written, [at, what]) => written.slice(0, at) + what + written.slice(at), text);
}
