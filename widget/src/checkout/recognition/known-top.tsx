import type { Quote } from "bff/contract/quote";
import { Charges } from "../../design/amounts.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { useWords } from "../../words/words-context.tsx";

export interface KnownTopProps {
  readonly providerName: string;
  readonly quote: Quote;
}

/** What a known patient reads first. It stays where it is while the code below makes room for the payment. */
export function KnownTop({ providerName, quote }: KnownTopProps) {
  const words = useWords();
  return (
    <>
      <ScreenTitle title={words.steps.review} intro={words.summary.service(providerName)} />
      <Charges
        look="timeline"
        charges={[
          { label: words.summary.today, note: words.summary.todayNote, pesos: quote.today },
          {
            label: words.summary.later,
            note: words.summary.laterNote(words.date(quote.latest_due_date)),
            pesos: quote.later_charge,
          },
        ]}
      />
    </>
  );
}
