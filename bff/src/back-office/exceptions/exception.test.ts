import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { exceptionId, readExceptionId, versionOf } from "./exception.ts";
import { EXCEPTION_KINDS, type ExceptionKind, RESOLUTIONS, takesResolution } from "./exception-kinds.ts";
import { SEVERITY_OF } from "./severity.ts";

const providerId = "00000000-0000-4000-8000-000000000001";

test("an exception's name can be parsed, whatever its subject contains", () => {
  const named = { kind: "difference", providerId, subject: "charge_missing:a:b@c" } as const;
  const exception = { ...named, orderId: null, since: new Date(0), facts: { expected: 1, found: null } };
  expect(readExceptionId(exceptionId(exception))).toEqual({ ...named, version: versionOf(exception) });
});

test("an exception's name changes with its facts", () => {
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
  `difference:${"-".repeat(36)}:y@00000000`,
])("%j is refused as an exception's name", (text) => expect(readExceptionId(text)).toBeNull());

test("every resolution applies to some kind, and a stopped collection cannot be dismissed", () => {
  for (const resolution of Object.keys(RESOLUTIONS) as (keyof typeof RESOLUTIONS)[]) {
    const kinds = Object.keys(EXCEPTION_KINDS) as (keyof typeof EXCEPTION_KINDS)[];
    expect(kinds.some((kind) => takesResolution({ kind }, resolution))).toBe(true);
  }
  expect(takesResolution({ kind: "collection_stopped" }, "handled")).toBe(false);
});

test("the operators' document lists exactly the exceptions of the code, with their severity", () => {
  const rows = documentedKinds().map(({ kind, severity }) => [kind, severity]);
  expect(rows).toHaveLength(Object.keys(EXCEPTION_KINDS).length);
  expect(Object.fromEntries(rows)).toEqual(SEVERITY_OF);
});

test("the operators' document names only resolutions that the exception takes", () => {
  const named = documentedKinds().flatMap(({ kind, advice }) =>
    [...advice.matchAll(/`(\w+)`/g)].flatMap(([, name = ""]) => (name in RESOLUTIONS ? [{ kind, name }] : [])),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ kind, name }) => !takesResolution({ kind }, name as keyof typeof RESOLUTIONS))).toEqual([]);
});

function documentedKinds(): { kind: ExceptionKind; severity: string; advice: string }[] {
  const document = readFileSync(new URL("../../../docs/reference/exceptions.md", import.meta.url), "utf8");
  return [...document.matchAll(/^\| `(\w+)` \| `(high|medium|low)` \| (.*) \|$/gm)].map(
    ([, kind = "", severity = "", advice = ""]) => ({ kind: kind as ExceptionKind, severity, advice }),
  );
}
