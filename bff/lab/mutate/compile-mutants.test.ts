import { afterEach, expect, it } from "vitest";
import { compileMutants } from "./compile-mutants.ts";
import { findMutants } from "./find-mutants.ts";

afterEach(() => {
  Reflect.deleteProperty(globalThis, "chosenMutant");
});

/** The return value of a JavaScript text, unchanged and then with each of its mutants. */
function answersOf(text: string): unknown[] {
  const mutants = findMutants("src/a.ts", text).map((mutant, index) => [index + 1, mutant] as const);
  const run = new Function(compileMutants(text, mutants));
  return [0, ...mutants.map(([number]) => number)].map((number) => {
    Reflect.set(globalThis, "chosenMutant", number);
    return run();
  });
}

it("the compiled text holds all mutants, and only the chosen one takes effect", () => {
  expect(answersOf("const a = 4;\nreturn a < 3 || a === 4;")).toEqual([true, false, false, true, true, false, false]);
});

it("mutants remove each call made for its effect and force each branch", () => {
  expect(answersOf("const a = [];\na.push('b');\nreturn a.length > 0 ? 'full' : 'empty';")).toEqual([
    ...["full", "empty", "full", "empty", "full", "empty"],
  ]);
});

it("a mutant removes one condition from a statement's text and keeps the others", () => {
  const [asItWas, first, second] = answersOf("const sql = String.raw;\nreturn sql`\n  where a\n  and b`;");
  expect([asItWas, first, second]).toEqual([
    "\n  where a\n  and b",
    "\n  where true\n  and b",
    "\n  where a\n  and true",
  ]);
});

it("an else stays with its if when the call before it can be removed", () => {
  const text =
    "const a = [];\nif (b()) a.push('c');\nelse a.push('d');\nreturn a.join();\nfunction b() { return false; }";
  expect(answersOf(text)).toEqual(["d", "c", "d", "d", "", "c"]);
});
