import { expect, it } from "vitest";
import { cardBrandOf } from "./card-brand.ts";

it.each([
  ["4051885600446623", "visa"],
  ["5105105105105100", "mastercard"],
  ["2221000000000009", "mastercard"],
  ["2720990000000007", "mastercard"],
  ["2721000000000000", "other"],
  ["2220990000000000", "other"],
  ["378282246310005", "amex"],
  ["30569309025904", "diners"],
  ["3530111333300000", "jcb"],
  ["6011111111111117", "discover"],
  ["6304000000000000", "maestro"],
  ["5018000000000000", "maestro"],
  ["9999999999999995", "other"],
])("cardBrandOf recognises %s", (number, brand) => {
  expect(cardBrandOf(number)).toBe(brand);
});
