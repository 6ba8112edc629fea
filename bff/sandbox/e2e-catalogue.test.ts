import { expect, it } from "vitest";
import { CARDS } from "../../e2e/kit/cards.ts";
import { ADDRESSES, BANK_ACCOUNTS, PEOPLE, PHONE_NUMBERS, SERIALS } from "../../e2e/kit/catalogue.ts";
import {
  CATALOGUE_ACCOUNTS,
  CATALOGUE_ADDRESSES,
  CATALOGUE_CARDS,
  CATALOGUE_NUMBERS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
} from "./catalogue.ts";

/** The package for partners' browser tests contains nothing of the service, so it has its own copy. */
it("the test values of @aapd/e2e are the sandbox's catalogue, in its order", () => {
  const cards = Object.values(CARDS).map(({ number, brand, kind, causes }) => {
    return { number: number.replaceAll(" ", ""), brand, kind, causes };
  });
  expect(cards).toEqual(CATALOGUE_CARDS.map(({ number, brand, kind, causes }) => ({ number, brand, kind, causes })));
  expect(Object.values(SERIALS)).toEqual(CATALOGUE_SERIALS.map(({ serial, causes }) => ({ serial, causes })));
  const people = CATALOGUE_PATIENTS.map(({ rut, registeredEmail: email, causes }) => ({ rut, email, causes }));
  expect(Object.values(PEOPLE)).toEqual(people);
  expect(Object.values(ADDRESSES)).toEqual(CATALOGUE_ADDRESSES.map(({ email, causes }) => ({ email, causes })));
  expect(Object.values(PHONE_NUMBERS)).toEqual(CATALOGUE_NUMBERS.map(({ number, causes }) => ({ number, causes })));
  expect(Object.values(BANK_ACCOUNTS)).toEqual(CATALOGUE_ACCOUNTS.map(({ number, causes }) => ({ number, causes })));
});
