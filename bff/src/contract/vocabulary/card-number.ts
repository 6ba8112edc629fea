import { digitsOfText } from "./digits-of-text.ts";
import { LETTER, standsForDigit } from "./unicode-digits.ts";

const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/** A compact JWE, which may contain card-like digits by chance. */
const SEALED = /^eyJ[\w-]+(?:\.[\w-]+){4}$/i;

/**
 * Whether a text very probably contains an unsealed card number: 13 to 19 digits in an issuer's range that pass Luhn.
 * Anything but letters may stand between them, in any script's digits. Other digits may precede or follow, such as the
 * expiry date and the security code. Addresses and prose have letters between their numbers.
 *
 * The time per character is bounded, whatever the text contains.
 */
export function holdsCardNumber(text: string): boolean {
  return mayHoldCard(text) && findsWindow(digitsOfText(text), null);
}

/** Whether a text very probably contains the number of the card with these last four digits. */
export function holdsCardEndingIn(text: string, last4: string): boolean {
  return mayHoldCard(text) && findsWindow(digitsOfText(text), Number(last4));
}

/**
 * Whether a whole number in an identifier is probably a card number. An identifier may itself be a long number that
 * contains a card number by chance. For texts that people write, use `holdsCardNumber`.
 */
export function namesCardNumber(identifier: string): boolean {
  return mayHoldCard(identifier) && findsWholeNumber(digitsOfText(identifier));
}

/** The text, with each digit of a card number replaced by a dot. For texts that cannot be refused. */
export function withoutCardNumber(text: string): string {
  if (!holdsCardNumber(text)) return text;
  const shown: string[] = [];
  for (const character of text) shown.push(standsForDigit(character.codePointAt(0) ?? 0) ? "•" : character);
  return shown.join("");
}

/** A character stands for three digits at most. */
const DIGITS_OF_CHARACTER_MAX = 3;

/** Whether the text is long enough, has enough characters that may be digits between two letters, and is not sealed. */
function mayHoldCard(text: string): boolean {
  if (text.length < DIGITS_MIN) return false;
  // The letters of a character reference separate nothing.
  const mayRefer = text.includes("&");
  let digitsMax = 0;
  for (let index = 0; index < text.length && digitsMax < DIGITS_MIN; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) digitsMax += DIGITS_OF_CHARACTER_MAX;
    else if (code >= 0x30 && code <= 0x39) digitsMax += 1;
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a && !mayRefer) digitsMax = 0;
  }
  return digitsMax >= DIGITS_MIN && !SEALED.test(text.trim());
}

/** Whether any window of the digits between two letters is a card number with this ending. */
function findsWindow(digits: Uint8Array, ending: number | null): boolean {
  const { evenDoubled, oddDoubled } = luhnSums(digits);
  /** For each sum, the last position before which it was reached and at which a card number may begin. */
  const [evenBegins, oddBegins] = [new Int32Array(10).fill(-DIGITS_MAX), new Int32Array(10).fill(-DIGITS_MAX)];
  let runStart = 0;
  for (let end = 1; end <= digits.length; end += 1) {
    if (digits[end - 1] === LETTER) runStart = end;
    const start = end - DIGITS_MIN;
    if (start < runStart) continue;
    if (isIssuerRange(fourDigits(digits, start))) {
      evenBegins[evenDoubled[start] ?? 0] = start;
      oddBegins[oddDoubled[start] ?? 0] = start;
    }
    const begin = end % 2 === 0 ? evenBegins[evenDoubled[end] ?? 0] : oddBegins[oddDoubled[end] ?? 0];
    const isCard = begin !== undefined && begin >= runStart && begin >= end - DIGITS_MAX;
    if (isCard && (ending === null || fourDigits(digits, end - 4) === ending)) return true;
  }
  return false;
}

/** Whether all digits between two letters form a card number. */
function findsWholeNumber(digits: Uint8Array): boolean {
  const { evenDoubled, oddDoubled } = luhnSums(digits);
  let start = 0;
  for (let end = 0; end <= digits.length; end += 1) {
    if (end < digits.length && digits[end] !== LETTER) continue;
    const sums = end % 2 === 0 ? evenDoubled : oddDoubled;
    const isCardLong = end - start >= DIGITS_MIN && end - start <= DIGITS_MAX;
    if (isCardLong && sums[start] === sums[end] && isIssuerRange(fourDigits(digits, start))) return true;
    start = end + 1;
  }
  return false;
}

/** The value that Luhn's check adds for every second digit. */
const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);

/**
 * Luhn sums of all digits before each position, modulo 10. The sum of a window is the difference of two of them. If the
 * window ends before an even position, the digits at even positions count double, otherwise those at odd ones.
 */
function luhnSums(digits: Uint8Array): { readonly evenDoubled: Uint8Array; readonly oddDoubled: Uint8Array } {
  const evenDoubled = new Uint8Array(digits.length + 1);
  const oddDoubled = new Uint8Array(digits.length + 1);
  let [even, odd] = [0, 0];
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits[place] ?? LETTER;
    if (digit !== LETTER) {
      const doubled = DOUBLED[digit] ?? 0;
      even += place % 2 === 0 ? doubled : digit;
      odd += place % 2 === 0 ? digit : doubled;
      if (even > 9) even -= 10;
      if (odd > 9) odd -= 10;
    }
    evenDoubled[place + 1] = even;
    oddDoubled[place + 1] = odd;
  }
  return { evenDoubled, oddDoubled };
}

/**
 * Visa, Mastercard (both ranges), American Express, Diners, Discover, Maestro and JCB, by a number's first four digits.
 */
function isIssuerRange(firstFour: number): boolean {
  if (firstFour < 3_000) return firstFour >= 2_221 && firstFour <= 2_720;
  return (firstFour >= 3_400 && firstFour < 5_900) || (firstFour >= 6_000 && firstFour < 7_000);
}

function fourDigits(digits: Uint8Array, start: number): number {
  const [first, second] = [digits[start] ?? 0, digits[start + 1] ?? 0];
  return first * 1_000 + second * 100 + (digits[start + 2] ?? 0) * 10 + (digits[start + 3] ?? 0);
}
