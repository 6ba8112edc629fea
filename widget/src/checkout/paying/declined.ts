import type { ErrorAdditions } from "bff/contract/errors";
import type { DeclinedCard, PaymentMethod } from "bff/contract/orders";
import type { Refusal } from "../../api/problem.ts";
import { problemLine, problemWords } from "../../words/problem-words.ts";
import type { ProblemWords, Words } from "../../words/words.ts";
import { brandName } from "../card/card-brand.tsx";

type Decline = Pick<ErrorAdditions, "decline_reason" | "decline_limit">;

/** `Mastercard ••0568` */
export function shortCard({ brand, last4 }: Pick<PaymentMethod, "brand" | "last4">, words: Words): string {
  return `${brandName(brand) || words.review.card.toLowerCase()} ••${last4}`;
}

/**
 * The text about a declined payment: the reason, the card, the amount, and that nothing was charged. After a reload
 * `problem` is null, and the card has the reason.
 */
export function declinedWords(problem: Refusal | null, card: DeclinedCard, amount: string, words: Words): ProblemWords {
  const named = shortCard(card, words);
  const { decline_reason: reason, decline_limit: limit }: Decline = problem?.additions ?? card;
  const usual = problem === null ? words.declines[reason ?? "declined"] : problemWords(problem, words);
  // The issuer refused nothing. The patient did not complete the authentication, or the issuer's page failed.
  if (reason === "authentication_failed" || reason === "authentication_abandoned")
    return { title: usual.title, text: words.declined.notCharged(named, amount) };
  const isNamed = limit !== undefined || (reason !== undefined && reason !== "declined");
  return {
    title: words.declined.byBank(named, amount),
    text: isNamed ? problemLine(usual) : usual.text,
  };
}
