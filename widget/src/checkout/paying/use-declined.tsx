import type { ReactNode } from "react";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { formatPesos } from "../../words/format.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { Checkout } from "../use-checkout.ts";
import { canRetry, declinedWords, shortCard } from "./declined.ts";

/** What the card's step shows after a payment with the order's card was declined. */
export interface DeclinedCard {
  /** Null for a later problem of the step, which has its own words. */
  readonly problem: ProblemWords | null;
  readonly texts: { readonly title: string; readonly intro: string; readonly action: string };
  /** The way back to the payment with the same card; null where another try cannot help. */
  readonly retry: ReactNode;
}

/** Null unless the order's card was declined. Trying it again leads to the review: only a press there pays. */
export function useDeclined(
  { state, order, session, actions }: Checkout,
  { problem, pending }: { readonly problem: Problem | null; readonly pending: boolean },
): DeclinedCard | null {
  const words = useAllWords();
  const { declined } = state;
  const card = order?.payment_method ?? null;
  if (declined === null || card === null || session.quote === null) return null;
  return {
    problem: problem === declined ? declinedWords(declined, card, formatPesos(session.quote.today), words) : null,
    texts: words.declined,
    retry: canRetry(declined.additions) ? (
      <Button kind="quiet" onPress={actions.keepCard} unavailable={pending}>
        {words.declined.retry(shortCard(card, words))}
      </Button>
    ) : null,
  };
}
