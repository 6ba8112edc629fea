import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { EXCEPTION_KINDS, exceptionId, RESOLUTIONS, readExceptionId, takesAct, versionOf } from "./exception.ts";

const providerId = "00000000-0000-4000-8000-000000000001";

test("a matter's name is read back, whatever its subject holds", () => {
  const named = { kind: "difference", providerId, subject: "charge_missing:a:b@c" } as const;
  const exception = { ...named, orderId: null, since: new Date(0), facts: { expected: 1, found: null } };
  expect(readExceptionId(exceptionId(exception))).toEqual({ ...named, version: versionOf(exception) });
});

test("a matter's name changes with what is known of it", () => {
  const exception = { since: new Date(0), facts: { amount: 1, why: "x" } };
  const versions = [
    exception,
    { ...exception, since: new Date(1) },
    { ...exception, facts: { ...exception.facts, amount: 2 } },
  ].map(versionOf);
  expect(new Set(versions).size).toBe(3);
  expect(versionOf({ ...exception, facts: { why: "x", amount: 1 } })).toBe(versions[0]);
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
])("%j names no matter", (text) => expect(readExceptionId(text)).toBeNull());

test("every act can be done about something, and what stops a collection is not put aside unheard", () => {
  for (const act of Object.keys(RESOLUTIONS) as (keyof typeof RESOLUTIONS)[]) {
    const kinds = Object.keys(EXCEPTION_KINDS) as (keyof typeof EXCEPTION_KINDS)[];
    expect(kinds.some((kind) => takesAct({ kind }, act))).toBe(true);
  }
  expect(takesAct({ kind: "collection_stopped" }, "handled")).toBe(false);
});

test("the operators' document names every matter and every act as they are, and no other", () => {
  const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const rows = [...document.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name = "", rest = ""]) => [name, rest]);
  const kinds = Object.entries(EXCEPTION_KINDS).map(([kind, { means, acts }]) => [
    kind,
    `${means} | ${acts.map((act) => `\`${act}\``).join(", ")}`,
  ]);
  expect(rows).toEqual([...kinds, ...Object.entries(RESOLUTIONS)]);
});
