import type { PaymentMethod } from "bff/contract/orders";
import type { Refusal } from "../../api/problem.ts";
import { problemWords } from "../../words/problem-words.ts";
import type { ProblemWords, Words } from "../../words/words.ts";
import { brandName } from "../card/card-brand.tsx";

/** `Mastercard ••0568` */
export function shortCard({ brand, last4 }: Pick<PaymentMethod, "brand" | "last4">, words: Words): string {
  return `${brandName(brand) || words.declined.card} ••${last4}`;
}

/**
 * Why a payment with the order's card was declined: which card, which amount, and that nothing was charged. `problem`
 * is null after a reload.
 */
export function declinedWords(
  problem: Refusal | null,
  card: PaymentMethod,
  amount: string,
  words: Words,
): ProblemWords {
  const usual = problem === null ? words.declines.declined : problemWords(problem, words);
  const named = shortCard(card, words);
  const { decline_reason: reason, decline_limit: limit } = problem?.additions ?? {};
  // The issuer refused nothing: the patient, or the issuer's page, did not get as far.
  if (reason === "authentication_failed" || reason === "authentication_abandoned")
    return { title: usual.title, text: words.declined.notCharged(named, amount) };
  const isNamed = limit !== undefined || (reason !== undefined && reason !== "declined");
  return {
    title: words.declined.byBank(named, amount),
    text: isNamed ? `${usual.title}. ${usual.text}` : usual.text,
  };
}
