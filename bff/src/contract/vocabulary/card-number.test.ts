import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { holdsCardEndingIn, holdsCardNumber, namesCardNumber, withoutCardNumber } from "./card-number.ts";
import { passesLuhn } from "./luhn.ts";

/** The same searches in their simplest form, window by window and in quadratic time. */
const plain = {
  holds: (text: string, ending = "") =>
    runsOf(text).some((run) => windowsOf(run).some((w) => w.endsWith(ending) && isCard(w))),
  names: (text: string) => runsOf(text).some((run) => run.length <= 19 && isCard(run)),
};

const DRAWN_NAMES =
  /(?<!\p{Nd})(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}))(?![\p{Nd}a-f])/giu;

function runsOf(text: string): string[] {
  if (text.length < 13 || /^eyJ[\w-]+(?:\.[\w-]+){4}$/i.test(text.trim())) return [];
  return text
    .replaceAll(/&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});/gi, " ")
    .replaceAll(DRAWN_NAMES, "x")
    .normalize("NFKC")
    .replaceAll(/[^\p{Nd}\p{L}]/gu, "")
    .split(/\p{L}+/u)
    .map((run) => Array.from(run, asciiDigit).join(""))
    .filter(({ length }) => length >= 13);
}

function asciiDigit(digit: string): string {
  const zeros = Array.from({ length: 10 }, (_, value) => (digit.codePointAt(0) ?? 0) - value);
  const isNotDigit = (codePoint: number) => !/\p{Nd}/u.test(String.fromCodePoint(codePoint));
  const value = zeros.findIndex((zero) => isNotDigit(zero - 1));
  return String(value === -1 ? 9 : value);
}

function windowsOf(run: string): string[] {
  return Array.from(run).flatMap((_, start) =>
    [13, 14, 15, 16, 17, 18, 19]
      .filter((length) => start + length <= run.length)
      .map((length) => run.slice(start, start + length)),
  );
}

const isCard = (digits: string) =>
  /^(4|5[0-8]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[4-9]|6)/.test(digits) && passesLuhn(digits);

const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: 1, maxLength: 66 });
const piece = fc.oneof(
  fc.stringMatching(/^\d{1,20}$/),
  fc.constantFrom("4051885600446623", "40518856", "00446623", "٤٠٥١", "４０５１", "𝟒𝟎", "⑩⑫", "⅒", "㏫", "²"),
  fc.constantFrom(" ", "-", ".", "a", "f", "x", "é", "e\u0301", "\u0338", "ﷺ", "\ud835", "\u{1d7ce}"),
  fc.constantFrom("&nbsp;", "&#160;", "&#xA0;", "&", "&#1234567;", ";"),
  fc.uuid(),
  hex,
  fc.string({ unit: "binary", maxLength: 3 }),
);
const texts = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));

describe("the search for card numbers", () => {
  it("finds what a plain search of every window finds", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect([holdsCardNumber(text), namesCardNumber(text), holdsCardEndingIn(text, "6623")]).toEqual([
          plain.holds(text),
          plain.names(text),
          plain.holds(text, "6623"),
        ]);
      }),
      { numRuns: 3_000 },
    );
  });

  it("leaves no digit of a card number in a redacted text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = withoutCardNumber(text);
        expect(holdsCardNumber(shown)).toBe(false);
        expect(shown === text || !/\p{Nd}/u.test(shown.normalize("NFKC"))).toBe(true);
      }),
    );
  });
});

describe("the work of the search", () => {
  afterEach(() => vi.restoreAllMocks());

  /** The number of characters that are read: one by one, and by methods that scan or copy a part of the text. */
  function reads(text: string): number {
    const byIndex = [vi.spyOn(String.prototype, "charCodeAt"), vi.spyOn(String.prototype, "codePointAt")];
    const slice = vi.spyOn(String.prototype, "slice");
    const normalize = vi.spyOn(String.prototype, "normalize");
    holdsCardNumber(text);
    namesCardNumber(text);
    const lengths = [
      ...byIndex.map(({ mock }) => mock.calls.length),
      ...slice.mock.results.map(({ value }) => String(value).length),
      ...normalize.mock.contexts.map((context) => String(context).length),
    ];
    vi.restoreAllMocks();
    return lengths.reduce((sum, length) => sum + length, 0);
  }

  const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  it.each([
    ["digits in an issuer's range of which no window passes Luhn", repeated("5")],
    ["zeros", repeated("0")],
    ["hexadecimal letters", repeated("a")],
    ["hexadecimal digits", repeated("1234567890abcdef")],
    ["beginnings of UUIDs", repeated("1234567a-1234-1234-1234-12345678901-")],
    ["hashes that are too long", repeated(`1${"ab".repeat(16)} `)],
    ["ampersands", repeated("&1")],
    ["references", repeated("&#16;1")],
    ["what is almost a reference", repeated("&abcdefghi1")],
    ["what begins like a sealed card", repeated("eyJa.")],
    ["combining marks in the wrong order", repeated("1\u0301\u0316")],
    ["combining marks without end", (length: number) => "1".repeat(13) + repeated("\u0301\u0316")(length - 13)],
    ["characters that stand for several", repeated("⑫⅒㏫")],
  ])("reads each character a few times, with %s", (_what, textOf) => {
    reads(textOf(8_192));
    const [short, long] = [reads(textOf(4_096)), reads(textOf(8_192))];
    expect(long / 8_192).toBeLessThan(20);
    expect(long / short).toBeLessThan(2.1);
  });
});
