import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { compileMutants } from "./compile-mutants.ts";
import { functionsOf, parse } from "./find-mutants.ts";
import type { Work } from "./work.ts";

/** Loads the files of a package for a kind of work: with mutants, or with functions that record their calls. */
export function workPlugin(folder: string, work: Work): Plugin {
  return {
    name: "mutants",
    enforce: "pre",
    load(id) {
      const file = relative(folder, id);
      if (work.kind === "record")
        return isProduct(file) ? sayingCalled(file, readFileSync(join(folder, file), "utf8")) : null;
      const mutants = work.jobs.filter(({ mutant }) => mutant.file === file);
      if (mutants.length === 0) return null;
      const numbered = mutants.map(({ number, mutant }) => [number, mutant] as const);
      return compileMutants(readFileSync(join(folder, file), "utf8"), numbered);
    },
  };
}

/** The changed files: the source of the packages, without their tests. */
export function isProduct(file: string): boolean {
  return /^(?:src|embed)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|^embed\/test\/|\.d\.ts$/.test(file);
}

/** The name under which a function records its call. */
export function functionName(file: string, name: string): string {
  return `${file}#${name}`;
}

function sayingCalled(file: string, text: string): string {
  const source = parse(file, text);
  const inserted: [number, string][] = [];
  for (const { name, body } of functionsOf(source).values()) {
    const call = `globalThis.saysCalled?.(${JSON.stringify(functionName(file, name))})`;
    const start = body.getStart(source);
    if ("statements" in body) inserted.push([start + 1, `${call};`]);
    else inserted.push([start, `(${call}, `], [body.end, ")"]);
  }
  // Insert from the end, so that earlier positions stay valid.
  inserted.sort(([one], [other]) => other - one);
  return inserted.reduce((written, [at, what]) => written.slice(0, at) + what + written.slice(at), text);
}
