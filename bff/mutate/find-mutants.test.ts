import { expect, it } from "vitest";
import { findMutants } from "./find-mutants.ts";

const changesIn = (text: string) => findMutants("src/a.ts", text).map(({ change }) => change);

it.each([
  ["const a = b === c;", ["=== → !=="]],
  ["const a = b < c && d;", ["&& → ||", "< → <="]],
  ["const a = !b;", ["!b → b"]],
  ["const a = b ? c : d;", ["b ? c : d → c", "b ? c : d → d"]],
  ["const a = 3;", ["3 → (3 + 1)"]],
  ["const a = true;", ["true → false"]],
  ["async function f() {\n  await g();\n}", ["await g(); → ;"]],
])("%s has %j", (text, changes) => {
  expect(changesIn(text)).toEqual(changes);
});

it("an if is tried with either answer", () => {
  expect(changesIn("if (a) b = c;")).toEqual(["a → true", "a → false"]);
});

it("of a statement's text each condition in a line that begins with one is left out", () => {
  const text = [
    "const rows = sql`",
    "  select * from orders",
    "  where id = $" + "{id}",
    "    and provider_id = $" + "{key.providerId} and (a or b) and d between 1 and 2",
    "    and lease_id = $" + "{lease.id} and ended_at is null",
    "    and (paid or",
    "      refunded)`;",
  ].join("\n");
  const mutants = findMutants("src/a.ts", text);
  expect(mutants.map(({ change, line }) => [line, change])).toEqual([
    [3, "where id = $" + "{id} → where true"],
    [4, "and provider_id = $" + "{key.providerId} and (a or b) and d between 1 and 2 → and true"],
    [5, "and lease_id = $" + "{lease.id} → and true"],
    [5, "and ended_at is null → and true"],
  ]);
  const third = mutants[2];
  expect(text.slice(third?.start, third?.end)).toBe("and lease_id = $" + "{lease.id}");
});

it("of a statement that is built by calls each condition is left out", () => {
  expect(changesIn('const a = db.selectFrom("b").where("c", "=", d).where("e", "<", f).execute();')).toEqual([
    '.where("e", "<", f) → (nothing)',
    '.where("c", "=", d) → (nothing)',
  ]);
});

it("types, imports and what is thrown have none, and texts are not subtracted", () => {
  const text = 'import a from "b";\ntype C = 1 | true;\nif (d) throw new Error("e" + 1);\nconst f = `g` + h;';
  expect(changesIn(text)).toEqual(["d → true", "d → false"]);
});

it("a mutant knows the innermost function around it", () => {
  const text = "const a = 1;\nfunction f() {\n  return [2].map((n) => n > 3);\n}";
  expect(findMutants("src/a.ts", text).map(({ change, inFunction }) => [change, inFunction])).toEqual([
    ["1 → (1 + 1)", null],
    ["2 → (2 + 1)", "f"],
    ["> → >=", "f/0"],
    ["3 → (3 + 1)", "f/0"],
  ]);
});
