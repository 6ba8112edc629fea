import type { PaymentMethod } from "bff/contract/orders";
import type { Quote } from "bff/contract/quote";
import { useAllWords } from "../../words/words-context.tsx";
import type { ShowText } from "../agreement/agreement-folds.tsx";
import { Recognised } from "../recognition/recognised.tsx";
import { CardLine } from "./card-line.tsx";
import { CreditTerms } from "./credit-terms.tsx";
import { PaymentCharges } from "./payment-charges.tsx";
import { type PaymentConsents, PaymentForm } from "./payment-form.tsx";

export interface ReviewStepProps extends PaymentConsents {
  readonly quote: Quote;
  readonly card: PaymentMethod | null;
  /** Whether the patient has saved this card. */
  readonly cardIsSaved: boolean;
  /** Null without a recognition. Otherwise title and charges are already on the screen, above this part. */
  readonly onDisown: (() => void) | null;
  readonly withdrawal: string | null | undefined;
  readonly showText: ShowText;
  readonly onChangeCard: () => void;
}

/** The charges with their days, the terms and documents, the consents, and one button with the amount. */
export function ReviewStep(props: ReviewStepProps) {
  const words = useAllWords();
  const { quote, onDisown } = props;
  return (
    <PaymentForm {...props} {...(onDisown === null && { title: words.review.title })} amount={quote.today}>
      {onDisown !== null ? (
        <Recognised pending={props.pending} onDisown={onDisown} />
      ) : (
        <PaymentCharges quote={quote} />
      )}
      {props.card === null ? null : (
        <CardLine card={props.card} isSaved={props.cardIsSaved} onChange={props.onChangeCard} />
      )}
      <CreditTerms
        quote={quote}
        withdrawal={props.withdrawal}
        withdrawalLocale={props.consentLocale}
        showText={props.showText}
      />
    </PaymentForm>
  );
}
