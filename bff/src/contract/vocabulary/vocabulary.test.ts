import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsCardNumber, passesLuhn } from "./card-number.ts";
import { clp, formatClp, shareRoundedHalfUp } from "./clp.ts";
import { readDocumentSerial } from "./document-serial.ts";
import { emailSchema, maskEmail } from "./email.ts";
import { readOrderId } from "./identifiers.ts";
import { readPhone } from "./phone.ts";

describe("amounts", () => {
  it("are written as in Chile", () => expect(formatClp(clp(12345))).toBe("$12.345"));

  it("refuse fractions", () => expect(() => clp(0.5)).toThrow("integer"));

  it("take the first instalment as floor((30·total + 50) / 100)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (total) => {
        expect(shareRoundedHalfUp(clp(total), 3_000)).toBe(Math.floor((30 * total + 50) / 100));
      }),
    );
  });
});

describe("document serials", () => {
  it.each([
    ["123.456.789", "123456789"],
    ["a 123-456-789", "A123456789"],
  ])("read %s", (typed, serial) => expect(readDocumentSerial(typed)).toBe(serial));
  it.each(["12345678", "1234567890", "AB12345678", "", "ñ123456789"])("refuse %j", (typed) =>
    expect(readDocumentSerial(typed)).toBeNull(),
  );
});

describe("phones", () => {
  it.each([
    ["+56 9 1234 5678", "+56912345678"],
    ["912345678", "+56912345678"],
    ["56912345678", "+56912345678"],
    ["(2) 2345 6789", "+56223456789"],
    ["+34 612 345 678", "+34612345678"],
  ])("read %s", (typed, phone) => expect(readPhone(typed)).toBe(phone));
  it.each(["12345678", "+56 9 123", "call me", ""])("refuse %j", (typed) => expect(readPhone(typed)).toBeNull());
});

describe("card numbers in the clear", () => {
  it.each(["4051885600446623", "my card 4051 8856 0044 6623 thanks", "5186-0595-5959-0568", '{"n":"378282246310005"}'])(
    "are seen in %j",
    (text) => expect(holdsCardNumber(text)).toBe(true),
  );
  it.each(["4051885600446624", "912345678", "9007199254740991", "2026-11-21T07:00:00.000Z", "56912345678"])(
    "are not seen in %j",
    (text) => expect(holdsCardNumber(text)).toBe(false),
  );
  it("are only warned of by Luhn: an official test card fails it", () => {
    expect(passesLuhn("4511346660037060")).toBe(false);
    expect(passesLuhn("4051885600446623")).toBe(true);
  });
});

describe("other words of the wire", () => {
  it("hint at an address without telling it", () => expect(maskEmail("camila@example.com")).toBe("c•••@e•••.com"));
  it("refuse what is no e-mail", () => expect(emailSchema.safeParse("camila@").success).toBe(false));
  it("ignore whitespace around an order hash", () =>
    expect(readOrderId(" 3F2504E0-4F89-41D3-9A0C-0305E82C3301\n")).toBe("3f2504e0-4f89-41d3-9a0c-0305e82c3301"));
});
