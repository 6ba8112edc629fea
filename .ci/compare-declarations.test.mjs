import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { compareDeclarations } from "./compare-declarations.mjs";

const folder = mkdtempSync(join(tmpdir(), "declarations-"));
after(() => rmSync(folder, { recursive: true }));

const released = `
export interface Options { url: string; mode?: "inline" | "dialog"; onError?: (reason: "csp" | "timeout") => void; locale: "es-CL" | "en" }
export interface Order { readonly hash: string; readonly status: "pending" | "paid"; readonly note: string | null }
export declare function mount(container: object, options: Options): Promise<Order>;
export declare class Refused extends Error { readonly code: string; retry(times?: number): Promise<void> }
export declare const VERSION: string;
export type Listener<Name extends string> = (name: Name) => void;
`;

/**
 * @param {string} now
 * @param {string} what
 */
function compare(now, what) {
  const place = join(folder, what.replaceAll(/\W/g, "-"));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "before.d.ts"), released);
  writeFileSync(join(place, "now.d.ts"), now);
  return compareDeclarations(join(place, "before.d.ts"), join(place, "now.d.ts"));
}

/** @type {[what: string, from: string | RegExp, to: string, named: string][]} */
const breaking = [
  ["a function is gone", /export declare function mount.*\n/, "", "mount"],
  ["a type is gone", /export type Listener.*\n/, "", "Listener"],
  ["a constant is gone", "export declare const VERSION: string;", "", "VERSION"],
  ["an option becomes required", "mode?:", "mode:", "mount"],
  ["a new option is required", "url: string;", "url: string; origin: string;", "mount"],
  ["an option is given up", 'mode?: "inline" | "dialog";', "", "Options"],
  ["an option takes less", '"inline" | "dialog"', '"inline"', "mount"],
  ["an option has another type", "url: string", "url: URL", "mount"],
  ["a callback hears something new", '"csp" | "timeout"', '"csp" | "timeout" | "version"', "mount"],
  ["an answer has something new in a closed list", '"pending" | "paid"', '"pending" | "paid" | "held"', "mount"],
  ["an answer's field is gone", "readonly hash: string; ", "", "mount"],
  ["an answer's field may be missing", "readonly hash:", "readonly hash?:", "mount"],
  ["a function needs more", "options: Options)", "options: Options, more: string)", "mount"],
  ["a function answers later or not", "Promise<Order>;", "Promise<Order | undefined>;", "mount"],
  ["a class loses a method", "retry(times?: number): Promise<void>", "", "Refused"],
  ["a class loses a field", "readonly code: string; ", "", "Refused"],
  ["a constant is of another type", "VERSION: string", "VERSION: number", "VERSION"],
];
for (const [what, from, to, named] of breaking) {
  test(`refused as a breaking change: ${what}`, () => {
    const now = released.replace(from, to);
    assert.notEqual(now, released);
    const breaks = compare(now, what);
    assert.ok(breaks.length > 0, "nothing was named");
    assert.ok(
      breaks.some((words) => words.startsWith(`${named}:`)),
      breaks.join("\n"),
    );
  });
}

/** @type {[what: string, from: string, to: string][]} */
const adding = [
  ["the same", "", ""],
  ["a new function", "export declare const", "export declare function more(): void;\nexport declare const"],
  ["a new option", "url: string;", "url: string; origin?: string;"],
  ["an option takes more", '"inline" | "dialog"', '"inline" | "dialog" | "page"'],
  ["an option is no longer required", 'locale: "es-CL"', 'locale?: "es-CL"'],
  ["an answer has a new field", "readonly hash: string;", "readonly hash: string; readonly id: string;"],
  ["an answer is always there now", "note: string | null", "note: string"],
];
for (const [what, from, to] of adding)
  test(`accepted as a compatible change: ${what}`, () =>
    assert.deepEqual(compare(released.replace(from, to), what), []));
