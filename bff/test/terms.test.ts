/** No sentence for patients or partners contains a literal business term: numbers come from `contract/terms.ts`. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ACCESS_BLOCKED_DAYS } from "../src/contract/terms.ts";
import type { Locale } from "../src/contract/widget-tokens.ts";
import { consentTexts } from "../src/patients/consent-texts.ts";
import { listTrackedFiles } from "./words.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const SPOKEN =
  /^(?:widget\/src\/words\/|widget\/src\/.*-words\.tsx?$|bff\/src\/notifications\/|bff\/src\/partner-docs\/|bff\/docs\/site\/guide\/|bff\/src\/contract\/)/;
const files = listTrackedFiles(repository).filter(
  (path) => SPOKEN.test(path) && /\.(?:tsx?|md)$/.test(path) && !/\.test\.tsx?$/.test(path),
);

/** Numbers that are not business terms, with the reasons. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The changelog keeps the numbers of its time.
  "bff/src/partner-docs/pages/changelog-page.ts": ["25 seconds"],
  // The effect of a test value in the sandbox.
  "bff/src/partner-docs/sandbox-examples.ts": ["5 days"],
  // The same; a test compares them with the English ones.
  "bff/src/partner-docs/pages/spanish-values.ts": [
    "2 días",
    "5 días",
    "20 segundos",
    "12 horas",
    "26 horas",
    "día 2",
    "día 12",
    "día 44",
    "día 46",
  ],
};

const UNITS =
  "d[ií]as?|horas?|minutos?|segundos?|intentos?|veces|archivos?|por ciento|days?|hours?|minutes?|seconds?|tries|times|attempts?|files?|MB|per cent";
const NUMBERS = new RegExp(
  String.raw`(?<![\w:.$])\d(?:[\d.,]*\d)?(?: ?%| (?:${UNITS})(?![\wáéíóú]))|\b(?:d[ií]a|day) \d+|(?<![\d:T])\d?\d:00\b(?!:)`,
  "gi",
);

/** A 1 may be grammar: one minute is worded differently from five. */
const isGrammar = (found: string) => /^1 /.test(found);
const withoutComments = (code: string) => code.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");

function numbersIn(code: string): string[] {
  return Array.from(withoutComments(code).matchAll(NUMBERS), ([found]) => found).filter((found) => !isGrammar(found));
}

describe("a literal number of the business", () => {
  it.each([
    ['"Vence en 10 minutos."', ["10 minutos"]],
    ['"30% con tu tarjeta"', ["30%"]],
    ["`pays 30 % of it, on day 45, from 09:00`", ["30 %", "day 45", "09:00"]],
    ['"at most 5 files of 2 MB"', ["5 files", "2 MB"]],
    ["`$" + "{CODE_LIFETIME_MINUTES} minutos`", []],
    ['{ at: "2026-11-21T15:00:00.000Z" }', []],
    ["const width = `width:100%`; /* 3 days */ // 45 days", []],
    ['"Tu sesión vence en 1 minuto."', []],
  ])("is found in %s", (code, found) => expect(numbersIn(code)).toEqual(found));

  it.each(files)("is absent from %s itself", (path) => {
    const allowed = ALLOWED[path] ?? [];
    const found = numbersIn(readFileSync(join(repository, path), "utf8"));
    expect(found.filter((number) => !allowed.includes(number))).toEqual([]);
    expect(allowed.filter((number) => !found.includes(number))).toEqual([]);
  });

  it("in a consent must equal the term, so that a changed number needs a new version of the text", () => {
    const charge = (locale: Locale) => consentTexts(locale).find(({ purpose }) => purpose === "later_charge")?.text;
    expect(charge("es-CL")).toContain(`${ACCESS_BLOCKED_DAYS} días`);
    expect(charge("en")).toContain(`${ACCESS_BLOCKED_DAYS} days`);
  });
});
