import { expect, it } from "vitest";
import { fingerprintOf, readEqualMutants } from "./equal-mutants.ts";
import { findMutants } from "./find-mutants.ts";

function fingerprintsOf(text: string, file = "src/a.ts"): readonly string[] {
  return findMutants(file, text).map((mutant) => fingerprintOf("bff", mutant));
}

const FUNCTION = "function f(a: A, b: B) {\n  return g({ ok: a < b, c });\n}";

it("a mutant keeps its fingerprint when its function is moved, retyped or reformatted", () => {
  const moved = "const x = y;\nfunction f(a: Other, b: B) {\n  return g({\n    ok: a < b,\n    c,\n  });\n}";
  expect(fingerprintsOf(moved, "src/other/b.ts")).toEqual(fingerprintsOf(FUNCTION));
});

it.each([
  ["the function is another", FUNCTION.replace("function f", "function h")],
  ["a parameter is another", FUNCTION.replace("b: B", "c: B")],
  ["the expression is another", FUNCTION.replace("a < b", "a < c")],
  ["the change is another", FUNCTION.replace("a < b", "a <= b")],
  ["the mutant is in another property", FUNCTION.replace("ok:", "isOk:")],
])("a mutant gets another fingerprint when %s", (_, changed) => {
  expect(fingerprintsOf(changed)).not.toEqual(fingerprintsOf(FUNCTION));
});

it("conditions on two lines of one SQL statement have different fingerprints", () => {
  const [first, second] = fingerprintsOf("const a = sql`select 1\nwhere b = 1 and c\nor d and b = 1`;");
  expect(first).not.toBe(second);
});

it("the list has a reason for each fingerprint", () => {
  const lines = [...readEqualMutants()];
  expect(lines.filter(([fingerprint, reason]) => !/^[0-9a-f]{12}$/.test(fingerprint) || reason.length < 10)).toEqual(
    [],
  );
  expect(lines.length).toBeGreaterThan(0);
});
