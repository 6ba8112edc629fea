/*
 * Page objects for partners' own browser tests.
 */
// biome-ignore-start lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
export { CARDS, type CatalogueCard, type TestCard } from "../../../kit/cards.ts";
export { ADDRESSES, BANK_ACCOUNTS, PEOPLE, PHONE_NUMBERS, SERIALS } from "../../../kit/catalogue.ts";
export { type BankAnswer, CheckoutFrame } from "../../../kit/checkout-frame.ts";
export { CheckoutPage } from "../../../kit/checkout-page.ts";
export { newPatient, type Patient } from "../../../kit/patients.ts";
// biome-ignore-end lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
