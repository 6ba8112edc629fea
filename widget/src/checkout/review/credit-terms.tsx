import type { Quote } from "bff/contract/quote";
import { Amounts } from "../../design/amounts.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import { AgreementFolds, type ShowText } from "../agreement/agreement-folds.tsx";

export interface CreditTermsProps {
  readonly providerName: string;
  readonly patientName: string;
  readonly rut: string;
  readonly quote: Quote;
  readonly showText: ShowText;
}

/** Who pays whom, what it costs in all, and the documents that are signed. */
export function CreditTerms({ providerName, patientName, rut, quote, showText }: CreditTermsProps) {
  const words = useAllWords();
  return (
    <>
      <Amounts
        rows={[
          { label: words.review.clinic, text: providerName },
          { label: words.review.patient, text: patientName },
          { label: words.done.rut, rut },
          { label: words.summary.price, pesos: quote.total },
          {
            label: words.summary.commission(words.percentage(quote.commission_percentage), quote.commission_regime),
            pesos: quote.commission,
          },
          { label: words.summary.total, pesos: quote.total_cost, weight: "total" },
          { label: words.summary.annualCost, percentage: quote.annual_cost_percentage },
        ]}
      />
      <AgreementFolds texts={quote.texts} show={showText} />
    </>
  );
}
