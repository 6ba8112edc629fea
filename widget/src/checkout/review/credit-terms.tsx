import type { Quote } from "bff/contract/quote";
import type { Locale } from "bff/contract/widget-tokens";
import { Amounts } from "../../design/amounts.tsx";
import { Fold } from "../../design/fold.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AgreementFolds, type ShowText } from "../agreement/agreement-folds.tsx";
import styles from "./review-step.module.css";

export interface CreditTermsProps {
  readonly quote: Quote;
  /** The operator's sentence about the right of withdrawal. */
  readonly withdrawal: string | null | undefined;
  readonly withdrawalLocale: Locale;
  readonly showText: ShowText;
}

/** The total cost, the lender, the terms and the documents that are signed. */
export function CreditTerms({ quote, withdrawal, withdrawalLocale, showText }: CreditTermsProps) {
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
      {quote.commission > 0 ? (
        <p className={styles.soft}>{review.annualCostNote(formatPesos(quote.commission))}</p>
      ) : null}
      <p className={styles.soft} lang={withdrawalLocale}>
        {withdrawal}
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
