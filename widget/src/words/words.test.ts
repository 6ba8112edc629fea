import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "bff/contract/error-codes";
import { declineLimitSchema, declineReasonSchema } from "bff/contract/errors";
import { describe, expect, it } from "vitest";
import { RECOVERY_WORDS } from "../checkout/recovery/recovery-words.ts";
import { en } from "./en.ts";
import { esCl } from "./es-cl.ts";
import { formatPesos } from "./format.ts";
import { wordsOfCode } from "./problem-words.ts";
import type { Words } from "./words.ts";

const LANGUAGES: readonly (readonly [string, Words])[] = [
  ["es-CL", esCl],
  ["en", en],
];

/** Every text of a language, with its path. Functions are called with conspicuous values. */
function textsOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(Reflect.apply(value, null, ["7", "2027-01-05"]))]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

function spoken(words: Words): readonly (readonly [string, string])[] {
  const { date: _date, moment: _moment, percentage: _percentage, ...texts } = words;
  return [texts, { recovery: RECOVERY_WORDS[words.locale] }].flatMap((part) => textsOf(part, words.locale));
}

describe.each(LANGUAGES)("%s", (_locale, words) => {
  it.each(ERROR_CODES)("has a title and a next step for %s", (code) => {
    expect(wordsOfCode(code, words).title.length).toBeGreaterThan(3);
    expect(wordsOfCode(code, words).text.length).toBeGreaterThan(8);
  });

  it.each(declineReasonSchema.options)("says that nothing was charged when a card is declined for %s", (reason) => {
    expect(words.declines[reason].text).toMatch(/No se cobró nada|Nothing was charged/);
  });

  it.each(declineLimitSchema.options)("says what to do about a card beyond its limit of %s", (limit) => {
    const { text } = words.declineLimits[limit];
    expect(text).toMatch(/No se cobró nada|Nothing was charged/);
    expect(text).toMatch(/app de tu banco.*otra tarjeta|bank's app.*another card/);
  });

  it("has no empty or undefined text", () => {
    for (const [path, text] of spoken(words)) {
      expect(text, path).not.toMatch(/undefined|NaN|\[object/);
      expect(text.trim(), path).not.toBe("");
    }
  });
});

it("both languages have the same texts", () => {
  const paths = (words: Words) => spoken(words).map(([path]) => path.replace(words.locale, ""));
  expect(paths(en).sort()).toEqual(paths(esCl).sort());
});

/** Every file with texts for patients. */
const TEXT_FILES = [".", "../checkout/recovery", "../self-service", "../return"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((name) => /^(?:en|es-cl|es-cl-first|link-problems|.*-words)\.ts$/.test(name))
    .map((name) => join(import.meta.dirname, folder, name)),
);

it.each(TEXT_FILES)("the words in %s take shares, times and numbers of tries from the contract's terms", (file) => {
  const ownNumbers = /\b\d+(?:%| (?:días|days|horas|hours|minutos|minutes|veces|times)\b)/g;
  expect(readFileSync(file, "utf8").match(ownNumbers)).toBeNull();
});

it("Spanish is Chilean, and the patient is tú", () => {
  const foreign =
    /\b(usted|su (?:tarjeta|RUT|correo)|introduzca|introduce|móvil|caducidad|importe|plazos|factura|Isapre)\b/;
  for (const [path, text] of spoken(esCl)) expect(text, path).not.toMatch(foreign);
});

it("a payment by the isapre is a reembolso, and money returned to a card is a devolución", () => {
  for (const status of ["refunded", "partially_refunded"] as const) {
    expect(esCl.done.refundTitles[status]).toMatch(/devoluci|devuelto/);
  }
  for (const [path, text] of spoken(esCl)) {
    if (/reembols/i.test(text)) expect(text, path).toMatch(/isapre|reembols/i);
    expect(text, path).not.toMatch(/devoluci[oó]n de tu isapre/i);
  }
});

it("a card of an unknown brand is called a card, in each language", () => {
  expect(esCl.review.cardEnds("", "1234")).toBe("Tarjeta ••1234");
  expect(en.review.cardEnds("", "1234")).toBe("Card ••1234");
});

describe("amounts and days", () => {
  it.each([
    [0, "$0"],
    [999, "$999"],
    [13_786, "$13.786"],
    [999_999_999, "$999.999.999"],
    [-1_000, "-$1.000"],
  ])("%d is written %s", (amount, text) => {
    expect(formatPesos(amount)).toBe(text);
  });

  it("are written in each language's own form, with the day and its month on one line", () => {
    expect(esCl.date("2028-02-29")).toBe("29\u00a0de\u00a0febrero de\u00a02028");
    expect(en.date("2028-02-29")).toBe("29\u00a0February 2028");
    expect(esCl.percentage(56.79)).toBe("56,79%");
    expect(en.percentage(56.79)).toBe("56.79%");
  });

  it("times use Chile's time zone, also at midnight and when daylight saving time ends", () => {
    expect(esCl.moment("2026-11-21T03:05:00.000Z")).toBe("21\u00a0de\u00a0noviembre de\u00a02026, 00:05");
    expect(esCl.moment("2026-04-05T03:30:00.000Z")).toBe("4\u00a0de\u00a0abril de\u00a02026, 23:30");
  });
});
