import { canRetry } from "bff/contract/decline-retry";
import type { ReactNode } from "react";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { formatPesos } from "../../words/format.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { declinedCardOf } from "../steps.ts";
import type { Checkout } from "../use-checkout.ts";
import { declinedWords, shortCard } from "./declined.ts";

/** Shown at the card step after a payment with the order's card was declined. */
export interface DeclinedCard {
  /** Null for a later problem of the step, which has its own text. */
  readonly problem: ProblemWords | null;
  /** The way back to the payment with the same card; null if another attempt cannot help. */
  readonly retry: ReactNode;
}

/**
 * Null unless the order's card was declined, in this visit or an earlier one. Trying it again leads to the review,
 * where only a press pays.
 */
export function useDeclined(
  { state, order, session, actions }: Checkout,
  { problem, pending }: { readonly problem: Problem | null; readonly pending: boolean },
): DeclinedCard | null {
  const words = useAllWords();
  const { declined } = state;
  const before = declinedCardOf(order);
  const card = before ?? order?.payment_method ?? null;
  if (card === null || session.quote === null) return null;
  if (declined === null && before === undefined) return null;
  const amount = formatPesos(session.quote.today);
  return {
    problem: problem === declined ? declinedWords(declined, card, amount, words) : null,
    retry: canRetry(declined?.additions.decline_reason, declined?.additions.decline_limit) ? (
      <Button kind="quiet" onPress={actions.continue} unavailable={pending}>
        {words.declined.retry(shortCard(card, words))}
      </Button>
    ) : null,
  };
}
