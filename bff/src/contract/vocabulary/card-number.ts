/** Luhn's check. One official test card fails it, so it may only warn; the processor decides. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** First digits of the issuers' ranges: Visa, Mastercard (both ranges), American Express, Diners, Discover, Maestro, JCB. */
const ISSUER_RANGES = /^(4|5[0-8]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[4-9]|6)/;
const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/** What is sealed may contain card-like digits by chance: a compact JWE. */
const SEALED = /^eyJ[\w-]+(?:\.[\w-]+){4}$/i;

/**
 * Names that were drawn at random, alone or within a text: UUIDs, with hyphens or without, and hashes (SHA-1, SHA-256). In one
 * of a thousand stand 13 to 19 digits that could be a card number. A longer run is none: a number may stand before such a name.
 */
const DRAWN_NAMES =
  /(?<!\p{Nd})(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}))(?![\p{Nd}a-f])/giu;

/**
 * Whether a text very probably contains an unsealed card number: 13 to 19 digits in an issuer's range that pass Luhn,
 * with anything but letters between them, in any script's digits, and with other digits before or behind them, such as
 * the expiry date and the security code. Addresses and prose have letters between their numbers.
 */
export function holdsCardNumber(text: string): boolean {
  return digitRunsOf(text).some((digits) => holdsWindow(digits));
}

/**
 * Whether a whole number in an identifier is probably a card number. An identifier may be a long number of its own, in
 * which a window would be a card number by chance; see `holdsCardNumber` for texts that people write.
 */
export function namesCardNumber(identifier: string): boolean {
  return digitRunsOf(identifier).some(isCardNumber);
}

/** Whether a text very probably contains the number of the card that ends in these digits. */
export function holdsCardEndingIn(text: string, last4: string): boolean {
  return digitRunsOf(text).some((digits) => holdsWindow(digits, last4));
}

/** The text; if it holds a card number, with a dot for each of its digits. For texts that cannot be refused. */
export function withoutCardNumber(text: string): string {
  return holdsCardNumber(text) ? text.normalize("NFKC").replaceAll(/\p{Nd}/gu, "•") : text;
}

/** The digits between letters, as ASCII digits; only runs that are long enough for a card. */
function digitRunsOf(text: string): string[] {
  if (text.length < DIGITS_MIN || SEALED.test(text.trim())) return [];
  const digits = withoutReferences(text)
    .replaceAll(DRAWN_NAMES, "x")
    .normalize("NFKC")
    .replaceAll(/[^\p{Nd}\p{L}]/gu, "");
  return digits
    .split(/\p{L}+/u)
    .map((run) => Array.from(run, asciiDigit).join(""))
    .filter(({ length }) => length >= DIGITS_MIN);
}

/** Text that was copied out of a page has `&nbsp;` and `&#160;` between its digits, whose letters and digits are none of its own. */
function withoutReferences(text: string): string {
  return text.replaceAll(/&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});/gi, " ");
}

/** `٤` → `4`. A script's ten digits follow each other. */
function asciiDigit(digit: string): string {
  if (digit >= "0" && digit <= "9") return digit;
  let value = 0;
  const point = digit.codePointAt(0) ?? 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value);
}

function holdsWindow(digits: string, ending = ""): boolean {
  for (let start = 0; start + DIGITS_MIN <= digits.length; start += 1)
    for (let length = DIGITS_MIN; length <= DIGITS_MAX && start + length <= digits.length; length += 1) {
      const window = digits.slice(start, start + length);
      if (window.endsWith(ending) && isCardNumber(window)) return true;
    }
  return false;
}

function isCardNumber(digits: string): boolean {
  return digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX && ISSUER_RANGES.test(digits) && passesLuhn(digits);
}
