import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { analyse } from "scslre";
import ts from "typescript";
import { expect, it } from "vitest";

/*
 * Strangers choose the texts that regular expressions read. Every expression in the service takes linear time, except
 * those listed here: their texts are short or not chosen by strangers.
 */

const SUPER_LINEAR: Readonly<Record<string, string>> = {
  "app/config.ts": "the operator's settings",
  "contract/vocabulary/rut.ts": "the digits of a parsed RUT",
  "frame/kept-assets.ts": "a file name of at most 128 characters",
  "orders/agreement/fill-text.ts": "the operator's texts",
  "partner-docs/search.ts": "our own pages; the one that reads a query is linear",
  "platform/database/concurrent-migration.ts": "our own migrations",
};

const folder = fileURLToPath(new URL("../src", import.meta.url));

/** Every regular expression literal of a program. */
function regularExpressions(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest));
  return found;
}

function isSuperLinear(literal: string): boolean {
  const end = literal.lastIndexOf("/");
  return analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) }).reports.length > 0;
}

it("a regular expression of super-linear time is recognised", () => {
  const slow = ["/^(a+)+$/", String.raw`/\d+\w+$/u`, String.raw`/\s+$/`];
  expect(slow.filter((literal) => !isSuperLinear(literal))).toEqual([]);
  expect(isSuperLinear(String.raw`/^[\w-]+\.[\w-]+$/`)).toBe(false);
});

it("the service has no regular expression of super-linear time on a stranger's text", { timeout: 120_000 }, () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const literals = files.flatMap((file) => {
    const path = join(folder, file);
    return regularExpressions(path).map((literal) => ({ file: relative(folder, path), literal }));
  });
  expect(literals.length).toBeGreaterThan(150);
  const slow = literals.filter(({ literal }) => isSuperLinear(literal)).map(({ file }) => file);
  expect([...new Set(slow)].toSorted()).toEqual(Object.keys(SUPER_LINEAR));
});
