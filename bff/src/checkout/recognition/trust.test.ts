import { expect, it } from "vitest";
import { type TrustFacts, trustOf } from "./trust.ts";

const now = new Date("2026-11-23T12:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const known: TrustFacts = {
  isOffered: true,
  identityMatchedAt: daysAgo(30),
  contactChangedAt: null,
  isErasing: false,
  isBlocked: false,
  identityTrustedDays: 180,
  collides: false,
  hasSavedCards: true,
};

it.each<[string, Partial<TrustFacts>, ReturnType<typeof trustOf>]>([
  ["nothing is missing", {}, { identity: true, cards: true }],
  ["no card is saved", { hasSavedCards: false }, { identity: true, cards: false }],
  [
    "the match is a moment short of 180 days old",
    { identityMatchedAt: daysAgo(179.99) },
    { identity: true, cards: true },
  ],
  ["the match is 180 days old", { identityMatchedAt: daysAgo(180) }, { identity: false, cards: true }],
  ["the match is old, and no card is saved", { identityMatchedAt: daysAgo(180), hasSavedCards: false }, null],
  ["the match is 30 days old and the limit is 30 days", { identityTrustedDays: 30 }, { identity: false, cards: true }],
  ["the match is 30 days old and the limit is 31 days", { identityTrustedDays: 31 }, { identity: true, cards: true }],
  ["the match was revoked", { identityMatchedAt: null }, { identity: false, cards: true }],
  ["the registry never matched, and no card is saved", { identityMatchedAt: null, hasSavedCards: false }, null],
  ["the address changed just under 7 days ago", { contactChangedAt: daysAgo(6.99) }, null],
  ["the address changed 7 days ago", { contactChangedAt: daysAgo(7) }, { identity: true, cards: true }],
  ["the clinic does not offer recognition", { isOffered: false }, null],
  ["an erasure is pending", { isErasing: true }, null],
  ["the data is blocked", { isBlocked: true }, null],
  ["the order names another e-mail", { collides: true }, null],
])("trustOf trusts identity, cards, both or neither if %s", (_case, facts, trust) => {
  expect(trustOf({ ...known, ...facts }, now)).toEqual(trust);
});
