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

/**
 * Whether a text very probably contains an unsealed card number: 13 to 19 digits in an issuer's range that pass Luhn,
 * even with spaces or dashes between them. Other long numbers, such as an order number, rarely pass.
 */
export function holdsCardNumber(text: string): boolean {
  for (const [run] of text.matchAll(/\d(?:[ -]?\d){12,18}(?!\d)/g)) {
    const digits = run.replace(/\D/g, "");
    if (ISSUER_RANGES.test(digits) && passesLuhn(digits)) return true;
  }
  return false;
}
