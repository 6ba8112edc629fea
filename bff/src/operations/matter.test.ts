import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { MATTER_ACTS, MATTER_KINDS, matterId, readMatterId, takesAct, versionOf } from "./matter.ts";

const providerId = "00000000-0000-4000-8000-000000000001";

test("a matter's name is read back, whatever its subject holds", () => {
  const named = { kind: "difference", providerId, subject: "charge_missing:a:b@c" } as const;
  const matter = { ...named, orderId: null, since: new Date(0), facts: { expected: 1, found: null } };
  expect(readMatterId(matterId(matter))).toEqual({ ...named, version: versionOf(matter) });
});

test("a matter's name changes with what is known of it", () => {
  const matter = { since: new Date(0), facts: { amount: 1, why: "x" } };
  const versions = [
    matter,
    { ...matter, since: new Date(1) },
    { ...matter, facts: { ...matter.facts, amount: 2 } },
  ].map(versionOf);
  expect(new Set(versions).size).toBe(3);
  expect(versionOf({ ...matter, facts: { why: "x", amount: 1 } })).toBe(versions[0]);
});

it.each([
  `difference:${providerId}:y`,
  `difference:${providerId}:y@short`,
  "",
  "difference",
  "nothing:x:y",
  `nothing:${providerId}:y`,
  `difference:${providerId}`,
  "difference:x:y",
])("%j names no matter", (text) => expect(readMatterId(text)).toBeNull());

test("every act can be done about something, and what stops a collection is not put aside unheard", () => {
  for (const act of Object.keys(MATTER_ACTS) as (keyof typeof MATTER_ACTS)[]) {
    const kinds = Object.keys(MATTER_KINDS) as (keyof typeof MATTER_KINDS)[];
    expect(kinds.some((kind) => takesAct({ kind }, act))).toBe(true);
  }
  expect(takesAct({ kind: "collection_stopped" }, "handled")).toBe(false);
});

test("the operators' document names every matter and every act as they are, and no other", () => {
  const document = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const rows = [...document.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name = "", rest = ""]) => [name, rest]);
  const kinds = Object.entries(MATTER_KINDS).map(([kind, { means, acts }]) => [
    kind,
    `${means} | ${acts.map((act) => `\`${act}\``).join(", ")}`,
  ]);
  expect(rows).toEqual([...kinds, ...Object.entries(MATTER_ACTS)]);
});
