import type { Quote } from "bff/contract/quote";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { useWords } from "../../words/words-context.tsx";
import { PaymentCharges } from "../review/payment-charges.tsx";

/** What a known patient reads first. It stays where it is while the code below makes room for the payment. */
export function KnownTop({ quote }: { readonly quote: Quote }) {
  const words = useWords();
  return (
    <>
      <ScreenTitle title={words.summary.knownTitle} />
      <PaymentCharges quote={quote} />
    </>
  );
}
