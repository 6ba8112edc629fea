import type { CardBrand, PaymentMethod } from "bff/contract/orders";
import { passesLuhn } from "bff/contract/vocabulary/luhn";
import type { FieldFault } from "../../form/field-fault.ts";
import type { StepWords } from "../../words/words.ts";

/** Ranges of first digits, most specific first. For display only: the processor identifies a card. */
const BRANDS: readonly { readonly brand: CardBrand; readonly pattern: RegExp; readonly lengths: readonly number[] }[] =
  [
    { brand: "amex", pattern: /^3[47]/, lengths: [15] },
    { brand: "diners", pattern: /^3(0[0-5]|[689])/, lengths: [14, 16, 19] },
    { brand: "jcb", pattern: /^35(2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
    { brand: "visa", pattern: /^4/, lengths: [13, 16, 19] },
    { brand: "mastercard", pattern: /^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/, lengths: [16] },
    { brand: "discover", pattern: /^(6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] },
    { brand: "maestro", pattern: /^(50|5[6-9]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  ];
const OTHER_LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19];

export const CARD_DIGITS_MAX = 19;

export function digitsOf(text: string): string {
  return text.normalize("NFKC").replace(/\D/g, "");
}

export function brandOf(digits: string): CardBrand {
  return BRANDS.find((each) => each.pattern.test(digits))?.brand ?? "other";
}

export function cvcLengthOf(brand: CardBrand): number {
  return brand === "amex" ? 4 : 3;
}

/** Groups the digits as printed on the card: 4-6-5 for American Express and Diners, otherwise in fours. */
export function groupCardDigits(digits: string): string {
  const brand = brandOf(digits);
  const groups = brand === "amex" || (brand === "diners" && digits.length <= 14) ? [4, 6, 5] : [4, 4, 4, 4, 3];
  const parts: string[] = [];
  let at = 0;
  for (const size of groups) {
    if (at < digits.length) parts.push(digits.slice(at, at + size));
    at += size;
  }
  return parts.join(" ");
}

export function validateCardNumber(text: string): FieldFault | null {
  const digits = digitsOf(text);
  if (digits === "") return "card_number_missing";
  const lengths = BRANDS.find((each) => each.pattern.test(digits))?.lengths ?? OTHER_LENGTHS;
  return lengths.includes(digits.length) ? null : "card_number_length";
}

/** A number with a wrong check digit only gets a warning, because some real cards have one. */
export function isDoubtful(text: string): boolean {
  return validateCardNumber(text) === null && !passesLuhn(digitsOf(text));
}

export interface Expiry {
  readonly month: number;
  readonly year: number;
}

/** Reads `09/28`, `9/28`, `0928`, `09/2028`, `09-28`, `09 / 2028`. Null if the text has no month and year. */
export function readExpiry(text: string): Expiry | null {
  const typed = text.normalize("NFKC").trim();
  const match = /^(\d{1,2})\s*[/.\-\s]\s*(\d{2}|\d{4})$/.exec(typed) ?? /^(\d{2})(\d{2}|\d{4})$/.exec(typed);
  const month = Number(match?.[1]);
  const years = match?.[2];
  if (years === undefined || month < 1 || month > 12) return null;
  return { month, year: years.length === 2 ? 2000 + Number(years) : Number(years) };
}

/** `today` is a calendar day. A card is valid until the end of its month. */
export function validateExpiry(
  text: string,
  today: { readonly year: number; readonly month: number },
): FieldFault | null {
  if (text.trim() === "") return "expiry_missing";
  const expiry = readExpiry(text);
  if (expiry === null || expiry.year > today.year + 40) return "expiry_malformed";
  const isPast = expiry.year < today.year || (expiry.year === today.year && expiry.month < today.month);
  return isPast ? "expiry_past" : null;
}

/** `0928` → `09/28`; any other text stays unchanged. */
export function tidyExpiry(text: string): string {
  const expiry = readExpiry(text);
  return expiry === null ? text : `${String(expiry.month).padStart(2, "0")}/${String(expiry.year).slice(-2)}`;
}

export function validateCvc(text: string, cardNumber: string): FieldFault | null {
  const digits = digitsOf(text);
  if (digits === "") return "cvc_missing";
  const brand = brandOf(digitsOf(cardNumber));
  const isRight = brand === "other" ? digits.length === 3 || digits.length === 4 : digits.length === cvcLengthOf(brand);
  return isRight && digits === text.trim() ? null : "cvc_length";
}

export function validateHolder(text: string): FieldFault | null {
  if (text.trim() === "") return "holder_missing";
  return digitsOf(text).length >= 8 ? "holder_is_number" : null;
}

/** Regroups the digits of a typed text and moves the caret accordingly. */
export function regroup(text: string, caret: number): { readonly text: string; readonly caret: number } {
  const digits = digitsOf(text).slice(0, CARD_DIGITS_MAX);
  const before = Math.min(digitsOf(text.slice(0, caret)).length, digits.length);
  const grouped = groupCardDigits(digits);
  let position = 0;
  for (let seen = 0; seen < before; position += 1) {
    if (grouped[position] !== " ") seen += 1;
  }
  return { text: grouped, caret: position };
}

/** The expiry as printed on the card, `12/34`, in the given words; undefined if the processor does not report it. */
export function expiryText(
  { exp_month, exp_year }: Pick<PaymentMethod, "exp_month" | "exp_year">,
  { cardExpires }: Pick<StepWords["review"], "cardExpires">,
): string | undefined {
  if (exp_month !== undefined)
    return cardExpires(`${String(exp_month).padStart(2, "0")}/${String(exp_year).slice(-2)}`);
}
