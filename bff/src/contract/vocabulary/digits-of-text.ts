import {
  CLASSES_OF_CHARACTER_MAX,
  COMPOSITE,
  characterClass,
  compositeClasses,
  IGNORED,
  isDecimalDigit,
  LETTER,
} from "./unicode-digits.ts";

/**
 * The digits of a text in order, by their values 0 to 9, with `LETTER` where letters separate them. Ignores HTML
 * character references (`&nbsp;`, `&#160;`), which occur in text copied from a page. A random name (a UUID, a hash)
 * counts as a letter, because one in a thousand contains 13 to 19 digits that could be a card number.
 *
 * Reads each character a bounded number of times.
 */
export function digitsOfText(text: string): Uint8Array {
  const classes = new Uint8Array(text.length * CLASSES_OF_CHARACTER_MAX);
  let length = 0;
  let hexEnd = 0;
  let name = NO_NAME;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === AMPERSAND) {
      index += referenceLength(text, index);
      continue;
    }
    if (index >= hexEnd && isHex(code)) {
      hexEnd = endOfHex(text, index);
      name = drawnName(text, index, hexEnd);
    }
    const isName = index === name.start;
    if (!isName && isAsciiDigit(code)) {
      classes[length++] = code - ZERO;
      index += 1;
      continue;
    }
    const codePoint = isHighSurrogate(code) ? (text.codePointAt(index) ?? 0) : code;
    const found = isName ? LETTER : characterClass(codePoint);
    if (found === COMPOSITE) for (const part of compositeClasses(codePoint)) classes[length++] = part;
    else if (found !== IGNORED) classes[length++] = found;
    index = isName ? name.end : index + (codePoint > 0xffff ? 2 : 1);
  }
  return classes.subarray(0, length);
}

const AMPERSAND = 0x26;
const DASH = 0x2d;
/** The length of the longest reference. */
const REFERENCE_LENGTH_MAX = 10;
const REFERENCE = /^&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});/i;

/** The length of the reference that begins here; 1 if none does. */
function referenceLength(text: string, start: number): number {
  return REFERENCE.exec(text.slice(start, start + REFERENCE_LENGTH_MAX))?.[0].length ?? 1;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const NO_NAME: Range = { start: -1, end: -1 };
/** Hexadecimal digits of SHA-256, SHA-1, and a UUID without its hyphens. */
const HASH_LENGTHS = [64, 40, 32] as const;
const UUID_GROUPS = [8, 4, 4, 4, 12] as const;

/** The random name whose end, or in a UUID whose first group, these hexadecimal digits up to `hexEnd` are. */
function drawnName(text: string, hexStart: number, hexEnd: number): Range {
  if (hexEnd - hexStart < UUID_GROUPS[0] || isDigitAt(text, hexEnd)) return NO_NAME;
  for (const length of HASH_LENGTHS) {
    const start = hexEnd - length;
    if (start >= hexStart && !isDigitBefore(text, start) && hasLetter(text, start, hexEnd))
      return { start, end: hexEnd };
  }
  const start = hexEnd - UUID_GROUPS[0];
  if (text.charCodeAt(hexEnd) !== DASH || isDigitBefore(text, start)) return NO_NAME;
  const end = endOfUuid(text, start);
  return end === null ? NO_NAME : { start, end };
}

/** The end of the UUID that begins here; null if none does. */
function endOfUuid(text: string, start: number): number | null {
  let at = start;
  for (const length of UUID_GROUPS) {
    if (at > start && text.charCodeAt(at++) !== DASH) return null;
    for (const end = at + length; at < end; at += 1) if (!isHex(text.charCodeAt(at))) return null;
  }
  return isHex(text.charCodeAt(at)) || isDigitAt(text, at) ? null : at;
}

/** A longer run of digits is not a random name, because a number may precede or follow one. */
function isDigitAt(text: string, index: number): boolean {
  return isDecimalDigit(text.codePointAt(index) ?? 0);
}

function isDigitBefore(text: string, index: number): boolean {
  const code = text.charCodeAt(index - 1);
  return isDecimalDigit(code >= 0xdc00 && code < 0xe000 ? (text.codePointAt(index - 2) ?? 0) : code);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function endOfHex(text: string, start: number): number {
  let end = start;
  while (isHex(text.charCodeAt(end))) end += 1;
  return end;
}

function hasLetter(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (text.charCodeAt(index) > NINE) return true;
  return false;
}

const ZERO = 0x30;
const NINE = 0x39;

function isAsciiDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isHex(code: number): boolean {
  return isAsciiDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
