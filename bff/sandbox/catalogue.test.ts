import { describe, expect, it } from "vitest";
import { readDocumentSerial } from "../src/contract/vocabulary/document-serial.ts";
import { passesLuhn } from "../src/contract/vocabulary/luhn.ts";
import { isPersonRut, parseRut } from "../src/contract/vocabulary/rut.ts";
import { cardBrandOf } from "./card-processor/card-brand.ts";
import {
  addressBehaviour,
  CATALOGUE_CARDS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
  catalogueCard,
  creditBehaviour,
  insurerBehaviour,
  serialBehaviour,
} from "./catalogue.ts";

describe("the sandbox's catalogue", () => {
  it("has card numbers that pass Luhn, except the one whose purpose is to fail it", () => {
    const failing = CATALOGUE_CARDS.filter(({ number }) => !passesLuhn(number)).map(({ number }) => number);
    expect(failing).toEqual(["4511346660037060"]);
  });

  it("has card numbers in the ranges of the brand that it names", () => {
    for (const { number, brand } of CATALOGUE_CARDS) expect(cardBrandOf(number)).toBe(brand);
  });

  it("has RUTs of people in their stored form, and well-formed serials", () => {
    for (const { rut } of CATALOGUE_PATIENTS) {
      expect(parseRut(rut)).toBe(rut);
      expect(isPersonRut(parseRut(rut))).toBe(true);
    }
    for (const { serial } of CATALOGUE_SERIALS) expect(readDocumentSerial(serial)).toBe(serial);
  });

  it("states the effect of each value once", () => {
    for (const values of [
      CATALOGUE_CARDS.map(({ number }) => number),
      CATALOGUE_PATIENTS.map(({ rut }) => rut),
      CATALOGUE_SERIALS.map(({ serial }) => serial),
    ]) {
      expect(new Set(values).size).toBe(values.length);
    }
  });

  it("lets every unlisted value succeed", () => {
    expect(catalogueCard("4242424242424242")).toBeNull();
    expect(serialBehaviour("123456789")).toBeNull();
    expect(creditBehaviour("11111111-1")).toBe("authorised");
    expect(insurerBehaviour("11111111-1")).toEqual({ kind: "approved", afterDays: 5 });
    expect(addressBehaviour("camila@example.com")).toBeNull();
  });
});
