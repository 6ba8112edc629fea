import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDigitOf, formatRut, isPersonRut, maskRut, personRutSchema, readRut, readTypedRut } from "./rut.ts";

describe("RUT", () => {
  it.each([
    ["5.126.663-3", "5126663-3"],
    ["8.000.009-k", "8000009-K"],
    ["11.111.111-1", "11111111-1"],
    [" 12.345.678-5 ", "12345678-5"],
    ["12345678−5", "12345678-5"],
    ["12345678–5", "12345678-5"],
    ["012.345.678-5", "12345678-5"],
    ["0045.637.139-6", "45637139-6"],
    ["045637139-6", "45637139-6"],
    ["000.012.345.678-5", "12345678-5"],
    ["1365664-9", "1365664-9"],
    ["17.012.345-K", "17012345-K"],
    ["17012345k", "17012345-K"],
    ["17.012.345K", "17012345-K"],
    ["40.000.778-0", "40000778-0"],
    ["１２.345.678-5", "12345678-5"],
  ])("reads %s", (sent, rut) => {
    expect(readRut(sent)).toBe(rut);
    expect(readTypedRut(sent)).toBe(rut);
  });

  it.each([
    ["13656606", "1365660-6"],
    ["20000007", "2000000-7"],
    ["013656606", "1365660-6"],
    ["1.365.6606", "1365660-6"],
    ["8000009k", "8000009-K"],
  ])("reads %s only as typed by a patient who then sees the parsed RUT", (typed, understood) => {
    expect(readRut(typed)).toBeNull();
    expect(readTypedRut(typed)).toBe(understood);
  });

  it.each([
    "12.345.678-K",
    "12345678",
    "1-9",
    "00000000-0",
    "12.34.5678-5",
    "76.123.456-7",
    "abc",
    "",
    "-",
    "12345678--5",
  ])("refuses %j", (typed) => {
    expect(readRut(typed)).toBeNull();
    expect(readTypedRut(typed)).toBeNull();
  });

  it("is refused without its check digit, not parsed as another person's", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 12 }), (body, width) => {
        const digits = String(body).padStart(width, "0");
        for (const text of [digits, digits.replace(/\B(?=(\d{3})+$)/g, "."), ` ${digits} `])
          if (readRut(text) !== null) throw new Error(`${text} was taken for ${readRut(text)}`);
      }),
      { numRuns: 100_000 },
    );
  });

  it("has exactly one valid check digit for every body", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000, max: 99_999_999 }), fc.constantFrom(..."0123456789K"), (body, digit) => {
        const right = checkDigitOf(body);
        expect(readRut(`${body}-${digit}`)).toBe(digit === right ? `${body}-${right}` : null);
      }),
    );
  });

  it("is shown with dots, and masked except for its first group", () => {
    const rut = readRut("12345678-5");
    if (rut === null) throw new Error("the fixture is a RUT");
    expect(formatRut(rut)).toBe("12.345.678-5");
    expect(maskRut(rut)).toBe("12.***.***-5");
  });

  it("distinguishes people from companies by the convention", () => {
    const company = readRut("76.900.001-1");
    const person = readRut("40.100.000-3");
    if (company === null || person === null) throw new Error("the fixtures are RUTs");
    expect(isPersonRut(company)).toBe(false);
    expect(isPersonRut(person)).toBe(true);
    expect(personRutSchema.safeParse("76.900.001-1").success).toBe(false);
    expect(personRutSchema.parse("40.100.000-3")).toBe("40100000-3");
  });
});
