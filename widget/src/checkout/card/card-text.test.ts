import { describe, expect, it } from "vitest";
import {
  brandOf,
  cvcLengthOf,
  groupCardDigits,
  isDoubtful,
  readExpiry,
  regroup,
  tidyExpiry,
  validateCardNumber,
  validateCvc,
  validateExpiry,
  validateHolder,
} from "./card-text.ts";

const TODAY = { year: 2026, month: 11 };

describe("card number", () => {
  it.each([
    ["4051885600446623", "visa", "4051 8856 0044 6623"],
    ["5186059559590568", "mastercard", "5186 0595 5959 0568"],
    ["2223003122003222", "mastercard", "2223 0031 2200 3222"],
    ["378282246310005", "amex", "3782 822463 10005"],
    ["36148900647913", "diners", "3614 890064 7913"],
    ["3566002020360505", "jcb", "3566 0020 2036 0505"],
    ["6011000990139424", "discover", "6011 0009 9013 9424"],
    ["6759649826438453", "maestro", "6759 6498 2643 8453"],
  ])("%s is a card of %s, formatted %s", (digits, brand, grouped) => {
    expect(brandOf(digits)).toBe(brand);
    expect(groupCardDigits(digits)).toBe(grouped);
    expect(validateCardNumber(grouped)).toBeNull();
  });

  it("raises a warning, not a refusal, for a wrong check digit: such cards exist", () => {
    expect(validateCardNumber("4511 3466 6003 7060")).toBeNull();
    expect(isDoubtful("4511 3466 6003 7060")).toBe(true);
    expect(isDoubtful("4051 8856 0044 6623")).toBe(false);
  });

  it.each(["", "4051", "4051 8856 0044 662", "37828224631000"])("'%s' is incomplete", (text) => {
    expect(validateCardNumber(text)).not.toBeNull();
  });
});

describe("the caret in a card number", () => {
  it("stays after the same digit wherever one is typed, pasted or deleted", () => {
    const digits = "4051885600446623";
    for (let at = 0; at <= digits.length; at += 1) {
      const { text, caret } = regroup(`${digits.slice(0, at)}${digits.slice(at)}`, at);
      expect(text.slice(0, caret).replace(/\D/g, "")).toBe(digits.slice(0, at));
    }
  });

  it("never goes past the longest number that exists", () => {
    expect(regroup("4".repeat(30), 30)).toEqual({ text: "4444 4444 4444 4444 444", caret: 23 });
  });
});

describe("an expiry date", () => {
  it.each(["12/34", "12 / 34", "12-34", "12.34", "1234", "12/2034", "122034", "12 34"])("is read from '%s'", (text) => {
    expect(readExpiry(text)).toEqual({ month: 12, year: 2034 });
    expect(tidyExpiry(text)).toBe("12/34");
  });

  it.each([
    ["", "expiry_missing"],
    ["13/34", "expiry_malformed"],
    ["00/34", "expiry_malformed"],
    ["12/99", "expiry_malformed"],
    ["hola", "expiry_malformed"],
    ["10/26", "expiry_past"],
  ])("'%s' is refused as %s", (text, fault) => {
    expect(validateExpiry(text, TODAY)).toBe(fault);
  });

  it("is valid until its month ends", () => {
    expect(validateExpiry("11/26", TODAY)).toBeNull();
  });
});

describe("the code on a card", () => {
  it("has as many digits as its brand requires, or either number if the brand is unknown", () => {
    expect(cvcLengthOf("amex")).toBe(4);
    expect(validateCvc("1234", "3782 822463 10005")).toBeNull();
    expect(validateCvc("123", "3782 822463 10005")).toBe("cvc_length");
    expect(validateCvc("123", "4051 8856 0044 6623")).toBeNull();
    expect(validateCvc("1234", "")).toBeNull();
    expect(validateCvc("12a", "")).toBe("cvc_length");
    expect(validateCvc("", "")).toBe("cvc_missing");
  });
});

it("a card number in the holder's field is caught before it is sent anywhere", () => {
  expect(validateHolder("4051 8856 0044 6623")).toBe("holder_is_number");
  expect(validateHolder("María José O'Ryan")).toBeNull();
});
