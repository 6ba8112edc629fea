import type { CardBrand } from "../../src/contract/orders.ts";

/** The first digits of the brands' number ranges; the first range that matches counts. */
const ranges: ReadonlyArray<readonly [CardBrand, RegExp]> = [
  ["visa", /^4/],
  ["mastercard", /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ["amex", /^3[47]/],
  ["diners", /^3(?:0[0-5]|[689])/],
  ["jcb", /^35(?:2[89]|[3-8])/],
  ["discover", /^6(?:011|4[4-9]|5)/],
  ["maestro", /^(?:50|5[6-8]|6)/],
];

/** The brand to whose range a card number belongs. */
export function cardBrandOf(number: string): CardBrand {
  return ranges.find(([, range]) => range.test(number))?.[0] ?? "other";
}
