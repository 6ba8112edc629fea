import { expect, it } from "vitest";
import type { DeclinedCard } from "../../contract/orders.ts";
import type { SavedCard } from "../../orders/saved-cards.ts";
import { cardOfCode } from "./code-terms.ts";

const now = new Date("2026-11-23T12:00:00Z");
const details = { brand: "visa", expMonth: 12, expYear: 2030 } as const;
const newest = { ...details, id: "newest", last4: "6623" } as SavedCard;
const older = { ...details, id: "older", last4: "0568" } as SavedCard;
const cards = [newest, older];

function declinedAs(decline_reason: DeclinedCard["decline_reason"], { last4 }: SavedCard = newest): DeclinedCard {
  const kind = "credit" as const;
  return { id: "typed", brand: "visa", last4, exp_month: 12, exp_year: 2030, holder_name: "ANA", kind, decline_reason };
}

it.each<[string, readonly DeclinedCard[], string | null, string | undefined]>([
  ["the newest card if none was declined", [], null, "newest"],
  ["the next card if the order declined the newest for good", [declinedAs("card_blocked")], null, "older"],
  ["the next card if the issuer gave no reason", [declinedAs(undefined)], null, "older"],
  ["the newest card if only a typed security code was wrong", [declinedAs("security_code_wrong")], null, "newest"],
  ["no card if all were declined", [declinedAs("declined"), declinedAs("card_expired", older)], null, undefined],
  ["the requested card even if it was declined", [declinedAs("card_blocked")], "newest", "newest"],
])("cardOfCode names %s", (_case, declined, requested, id) => {
  expect(cardOfCode({ cards, declined }, requested, now)?.id).toBe(id);
});
