import type { Quote } from "bff/contract/quote";
import { Charges } from "../../design/amounts.tsx";
import { useWords } from "../../words/words-context.tsx";

/** Both charges, with the last day of the second. */
export function PaymentCharges({ quote }: { readonly quote: Quote }) {
  const { summary, date } = useWords();
  return (
    <Charges
      charges={[
        { label: summary.today, note: summary.todayNote, pesos: quote.today },
        { label: summary.later, note: summary.laterNote(date(quote.latest_due_date)), pesos: quote.later_charge },
      ]}
    />
  );
}
