import type { PaymentMethod } from "bff/contract/orders";
import type { Quote } from "bff/contract/quote";
import { useState } from "react";
import { useAllWords } from "../../words/words-context.tsx";
import type { ShowText } from "../agreement/agreement-folds.tsx";
import { Recognised } from "../recognition/recognised.tsx";
import { isAskedOnSummary } from "../summary/summary-step.tsx";
import { CardLine } from "./card-line.tsx";
import { CreditTerms } from "./credit-terms.tsx";
import { PaymentCharges } from "./payment-charges.tsx";
import { type PaymentConsents, PaymentForm } from "./payment-form.tsx";

export interface ReviewStepProps extends PaymentConsents {
  readonly providerName: string;
  readonly patientName: string;
  readonly rut: string;
  readonly quote: Quote;
  readonly card: PaymentMethod | null;
  /** The card is one that the patient has saved. */
  readonly cardIsSaved: boolean;
  /** Null where nobody was recognised. Otherwise title and charges are on the screen already, above this part of it. */
  readonly onDisown: (() => void) | null;
  readonly showText: ShowText;
  readonly onChangeCard: () => void;
}

/** Every amount and date once more, and one button that says what it takes. */
export function ReviewStep(props: ReviewStepProps) {
  const words = useAllWords();
  const { quote, onDisown } = props;
  // One that belongs on the first screen is asked for here only where it was not given there.
  const [consents] = useState(() =>
    props.consents.filter(({ purpose }) => !isAskedOnSummary(purpose) || !props.given.includes(purpose)),
  );
  return (
    <PaymentForm
      {...props}
      {...(onDisown === null && { head: { title: words.review.title, intro: words.review.intro } })}
      amount={quote.today}
      consents={consents}
    >
      {onDisown !== null ? (
        <Recognised pending={props.pending} onDisown={onDisown} />
      ) : (
        <PaymentCharges quote={quote} />
      )}
      {props.card === null ? null : (
        <CardLine card={props.card} isSaved={props.cardIsSaved} onChange={props.onChangeCard} />
      )}
      <CreditTerms {...props} />
    </PaymentForm>
  );
}
