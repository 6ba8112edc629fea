import type { Quote } from "bff/contract/quote";
import { Amounts } from "../../design/amounts.tsx";
import { Fold } from "../../design/fold.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AgreementFolds, type ShowText } from "../agreement/agreement-folds.tsx";
import styles from "./review-step.module.css";

export interface CreditTermsProps {
  readonly quote: Quote;
  readonly showText: ShowText;
}

/** The total cost, the lender, the terms, and the documents to be signed. */
export function CreditTerms({ quote, showText }: CreditTermsProps) {
  const { review, summary, percentage, date } = useAllWords();
  return (
    <section className={styles.terms}>
      <Amounts
        rows={[
          { label: summary.price, pesos: quote.total },
          {
            label: summary.commission(percentage(quote.commission_percentage), quote.commission_regime),
            pesos: quote.commission,
          },
          { label: summary.total, pesos: quote.total_cost, weight: "total" },
          { label: review.lender, text: quote.financing_provider },
          { label: review.annualCost, percentage: quote.annual_cost_percentage },
        ]}
      />
      <p className={styles.soft}>
        {quote.commission > 0 ? review.annualCostNote(formatPesos(quote.commission)) : null} {review.withdrawal}
      </p>
      <Fold title={review.termsTitle}>
        <Amounts rows={[{ label: review.financed, pesos: quote.later }]} />
        <p>{review.annualCostDay(date(quote.latest_due_date))}</p>
        <p>{review.earlyPayment}</p>
        <p>{review.latePayment}</p>
        <p>{review.blocked}</p>
      </Fold>
      <AgreementFolds texts={quote.texts} show={showText} />
    </section>
  );
}
