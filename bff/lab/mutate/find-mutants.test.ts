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

it("an if gets one mutant for each branch", () => {
  expect(changesIn("if (a) b = c;")).toEqual(["a → true", "a → false"]);
});

it("an if that guards an impossible state is mutated only to the result that throws", () => {
  const file = (comment: string) => `/** ${comment} */\nclass Gone extends Error {}\nif (a) throw new Gone("b");`;
  expect(changesIn(file("Thrown when it is not there: a defect."))).toEqual(["a → true"]);
  expect(changesIn(file("Thrown when it is not there."))).toEqual(["a → true", "a → false"]);
});

it("a statement's text has mutants of its words, and its placeholders have their own", () => {
  const text = [
    "const rows = await sql<Row>`",
    "  select * from orders",
    "  where id = $" + "{a < b} and lease_id = $" + "{sql`$" + "{lease.id}::uuid`}",
    "  limit $" + "{limit} for update skip locked`.execute(tx);",
  ].join("\n");
  const mutants = findMutants("src/a.ts", text);
  expect(mutants.map(({ change, line }) => [line, change])).toEqual([
    [3, "id = $" + "{a < b} → true"],
    [3, "lease_id = $" + "{sql`$" + "{lease.id}::uuid`} → true"],
    [4, "limit $" + "{limit} → (nothing)"],
    [4, "for update skip locked → (nothing)"],
    [4, "skip locked → (nothing)"],
    [3, "< → <="],
  ]);
  expect(mutants.slice(0, 5).map(({ around }) => text.slice(around.start, around.end))).toEqual(
    Array.from({ length: 5 }, () => text.slice("const rows = await ".length, -".execute(tx);".length)),
  );
});

it("a statement built by calls gets mutants without each condition, limit and lock, and in reverse order", () => {
  const text = 'const a = db.selectFrom("b").where("c", "=", d).orderBy("e").orderBy("f").limit(g).forUpdate();';
  expect(changesIn(text)).toEqual([
    ".forUpdate() → (nothing)",
    ".limit(g) → (nothing)",
    '(nothing) → , "desc"',
    '.where("c", "=", d) → (nothing)',
  ]);
  expect(changesIn('const a = b.where("c", "<", d).orderBy("e", "desc");')).toEqual([
    ', "desc" → (nothing)',
    '.where("c", "<", d) → (nothing)',
    '"<" → "<="',
  ]);
});

it("a condition on the provider has no mutant if another condition identifies the row by its order", () => {
  expect(changesIn('const a = b.where("provider_id", "=", c).where("order_id", "=", d);')).toEqual([
    '.where("order_id", "=", d) → (nothing)',
  ]);
  expect(changesIn('const a = b.where("provider_id", "=", c).where("id", "=", d);')).toEqual([
    '.where("id", "=", d) → (nothing)',
    '.where("provider_id", "=", c) → (nothing)',
  ]);
});

it("types, imports, thrown errors and text concatenations have no mutants", () => {
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
