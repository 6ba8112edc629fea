import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsCardNumber, namesCardNumber, withoutCardNumber } from "./card-number.ts";
import { clp, formatClp, shareRoundedHalfUp } from "./clp.ts";
import { readDocumentSerial } from "./document-serial.ts";
import { emailSchema, maskEmail, sameEmail } from "./email.ts";
import { readOrderId } from "./identifiers.ts";
import { passesLuhn } from "./luhn.ts";
import { greetingName, personNameSchema } from "./person-name.ts";
import { isPossiblePhone, readPhone } from "./phone.ts";

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
    "are not found in %j",
    (text) => expect(holdsCardNumber(text)).toBe(false),
  );

  it("are not seen in an order hash, even if its digits pass the check or blanks surround it", () => {
    for (const hash of ["41111111-1111-1111-8111-abcdef012345", " 41111111-1111-1111-8111-ABCDEF012345 "])
      expect(holdsCardNumber(hash)).toBe(false);
    expect(holdsCardNumber("41111111-1111-1111-")).toBe(true);
  });
  it.each([
    "E2E-dd66ace7-5f8b-4804-8477-71178d2ce469",
    "https://clinica.example/pago?orden=dd66ace7-5f8b-4804-8477-71178d2ce469&paso=2",
    "ORDER_DD66ACE75F8B4804847771178D2CE469.",
    "ORDdd66ace75f8b4804847771178d2ce469",
    `sha256:${"dd66ace75f8b4804847771178d2ce469".repeat(2)}`,
  ])("a random name is not mistaken for a card number: %s", (text) => {
    expect([holdsCardNumber(text), namesCardNumber(text)]).toEqual([false, false]);
  });
  it.each([
    "dd66ace7-5f8b-4804-8477-71178d2ce469 4051885600446623",
    "4051885600446623-dd66ace75f8b4804847771178d2ce469",
    "4051885600446623dd66ace75f8b4804847771178d2ce469",
    "4051885600446623dd66ace7-5f8b-4804-8477-71178d2ce469",
    "4051885600446623".repeat(2),
  ])("a card number next to a random name, or alone, is found: %s", (text) => expect(holdsCardNumber(text)).toBe(true));
  it.each([
    ["dots", "4051.8856.0044.6623.739"],
    ["a page's blanks", "4051&nbsp;8856&#160;0044&#xA0;6623"],
    ["a slash and the expiry date behind", "4051885600446623 12/29"],
    ["the code in front and behind", "739 4051885600446623 739"],
    ["spaces that do not break", "4051\u00a08856\u202f0044\u20076623"],
    ["characters without width", "4051\u200b8856\u2060004\u00ad46623"],
    ["wide digits", "４０５１８８５６００４４６６２３"],
    ["Arabic digits", "٤٠٥١٨٨٥٦٠٠٤٤٦٦٢٣"],
    ["Persian and Devanagari digits", "۴۰۵۱۸۸۵۶ ००४४६६२३"],
    ["bold digits and brackets", "(𝟒𝟎𝟓𝟏)[𝟖𝟖𝟓𝟔]𝟎𝟎𝟒𝟒/𝟔𝟔𝟐𝟑"],
    ["a line each", "4051\n8856\n0044\n6623"],
    ["five parts like a sealed card", "4051.8856.0044.6623.1"],
  ])("are found when written with %s", (_what, text) => {
    expect(holdsCardNumber(text)).toBe(true);
    expect(withoutCardNumber(text)).not.toMatch(/\p{Nd}/u);
  });
  it.each([
    "Av. Apoquindo 4501 depto. 1203, fono 912345678",
    "11.111.111-1",
    "2026-11-22T13:45:00.123Z",
    "eyJhbGciOiJSU0EtT0FFUC0yNTYifQ.4051885600446623.a.b.c",
    "40518856-0044-4623-8051-885600446623",
  ])("are not found in %j", (text) => {
    expect(holdsCardNumber(text)).toBe(false);
    expect(withoutCardNumber(text)).toBe(text);
  });
  it("are found in an identifier only as a whole number", () => {
    expect(["4051885600446623", "ORD-4051885600446623", "４０５１-8856-0044-6623"].every(namesCardNumber)).toBe(true);
    expect(["202611224051885600446623", "20261122134500000123", "A-100"].some(namesCardNumber)).toBe(false);
  });
  it("are found without a valid check digit if they belong to an official test card", () => {
    expect(passesLuhn("4511346660037060")).toBe(false);
    expect(passesLuhn("4051885600446623")).toBe(true);
  });
});

describe("names of people", () => {
  it.each(["María José", "O'Ryan Díaz", "Ñusta Quispe Mamani", "Yan Li", "  Camila  ", "J. R."])("accept %j", (name) =>
    expect(personNameSchema.parse(name)).toBe(name.trim()),
  );
  it.each([
    "Camila\n\nTu cuenta fue bloqueada",
    "Camila\u2028Entra en",
    "Entra en https://evil.example",
    "www.evil.example",
    "ayuda@evil.example",
    "\u001b[2J",
    "Cami\u202Ela",
    "Cami\u2066la",
    "\u200B",
    "Cami\u200Dla",
    "\u3164",
    "12345",
    "¡!",
    " ",
  ])("reject %j, which would put a message into a genuine mail", (text) =>
    expect(personNameSchema.safeParse(text).success).toBe(false),
  );
});

it("a name in a greeting contains nothing that a mail program turns into a link", () => {
  expect(greetingName("Pague en evil.example")).toBe("Pague en evil. example");
  expect(greetingName("J.R. Ewing")).toBe("J. R. Ewing");
  expect(greetingName("María José")).toBe("María José");
});

describe("a telephone number of an order", () => {
  it.each(["+56 9 1234 5678", "912345678", "(2) 2345 6789", "+1 202-555-0123 ext. 4", "９１２３４５６７８"])(
    "may be %j",
    (text) => expect(isPossiblePhone(text)).toBe(true),
  );
  it.each(["no tengo", "1234567", "1234567890123456", "+"])("may not be %j", (text) =>
    expect(isPossiblePhone(text)).toBe(false),
  );
});

describe("an e-mail address", () => {
  it.each([
    [" Camila.Rojas+aapd@Example.COM ", "Camila.Rojas+aapd@example.com"],
    ["a@ñandú.cl", "a@xn--and-6ma2c.cl"],
    ["a@XN--AND-6MA2C.cl", "a@xn--and-6ma2c.cl"],
    ["ñandú@example.cl", "ñandú@example.cl"],
    ["Ñandú@Ñandú.cl".normalize("NFD"), "ñandú@xn--and-6ma2c.cl"],
    ["岩@例え.テスト", "岩@xn--r8jz45g.xn--zckzah"],
    // The Kelvin sign is a K in NFC.
    ["\u212Aaro@example.com", "Karo@example.com"],
  ])("%j is kept as %s", (text, kept) => {
    expect(emailSchema.parse(text)).toBe(kept);
    expect(emailSchema.parse(kept)).toBe(kept);
  });

  it.each([
    "camila@",
    "@example.com",
    "camila@example",
    "camila@@example.com",
    "ca mila@example.com",
    ".camila@example.com",
    "ca..mila@example.com",
    "camila.@example.com",
    "camila@1.2.3.4",
    "camila@exa_mple.com",
    "camila@example.com/x",
    "camila@example.com:25",
    "camila@xn--a.com",
    "camila@[127.0.0.1]",
    "camila@example.com, other@example.com",
    "camila@example.com\r\nRCPT TO:<other@example.com>",
    "ca\u202Emila@example.com",
    "ca\u200Bmila@example.com",
    "ca\u0000mila@example.com",
    "camila\u00A0@example.com",
    "camila@ex\u00ADample.com",
    "😀@example.com",
    `camila@${"ñ".repeat(245)}.cl`,
  ])("%j is invalid", (text) => expect(emailSchema.safeParse(text).success).toBe(false));

  it("differs from one with another letter, and equals the same one in another case", () => {
    const [kept, sent, others] = ["Ñandú@example.cl", "ÑANDÚ@EXAMPLE.CL", "nandu@example.cl"].map((text) =>
      emailSchema.parse(text),
    );
    expect(sameEmail(kept ?? "", sent ?? "")).toBe(true);
    expect(sameEmail(kept ?? "", others ?? "")).toBe(false);
    expect(sameEmail("Camila@example.com", "camila@EXAMPLE.com")).toBe(true);
  });

  it.each([
    ["camila@example.com", "c•••@e•••.com"],
    ["ñandú@example.cl", "ñ•••@e•••.cl"],
    ["a@xn--and-6ma2c.cl", "a•••@•••.cl"],
    ["𠮷田@example.com", "𠮷•••@e•••.com"],
  ])("%s is masked as %s", (email, hint) => expect(maskEmail(email)).toBe(hint));
});

describe("other words of the wire", () => {
  it("exclude the whitespace around an order hash", () =>
    expect(readOrderId(" 3F2504E0-4F89-41D3-9A0C-0305E82C3301\n")).toBe("3f2504e0-4f89-41d3-9a0c-0305e82c3301"));
});
