import type { Quote } from "bff/contract/quote";
import { Charges } from "../../design/amounts.tsx";
import { useAllWords } from "../../words/words-context.tsx";

/** Both charges, with the last day of the second. */
export function PaymentCharges({ quote }: { readonly quote: Quote }) {
  const words = useAllWords();
  return (
    <Charges
      look="timeline"
      charges={[
        { label: words.review.todayCharge, note: words.summary.todayNote, pesos: quote.today },
        {
          label: words.review.laterCharge,
          note: words.review.laterBy(words.date(quote.latest_due_date)),
          pesos: quote.later_charge,
        },
      ]}
    />
  );
}
