import type { ConsentPurpose, PaymentMethod } from "bff/contract/orders";
import type { Quote } from "bff/contract/quote";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useState } from "react";
import { Amounts, Charges } from "../../design/amounts.tsx";
import { Button } from "../../design/button.tsx";
import { Notice } from "../../design/notice.tsx";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../../form/consent-list.tsx";
import { FormShell } from "../../form/form-shell.tsx";
import { formatPesos } from "../../words/format.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AgreementFolds, type ShowText } from "../agreement/agreement-folds.tsx";
import { brandName, CardBrandPlate } from "../card/card-brand.tsx";
import { expiryText } from "../card/card-text.ts";
import { isAskedOnSummary } from "../summary/summary-step.tsx";
import styles from "./review-step.module.css";

export interface ReviewStepProps {
  readonly providerName: string;
  readonly patientName: string;
  readonly rut: string;
  readonly quote: Quote;
  readonly card: PaymentMethod | null;
  /** The card is one that the patient has saved. */
  readonly cardIsSaved: boolean;
  /** Null where nobody was recognised. */
  readonly onDisown: (() => void) | null;
  /** All of the payment; one that belongs on the first screen is asked for here only where it was not given there. */
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  readonly given: readonly ConsentPurpose[];
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  readonly notice: ProblemWords | null;
  readonly showText: ShowText;
  readonly onConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly onPay: (given: readonly ConsentPurpose[]) => void;
  readonly onChangeCard: () => void;
  readonly onBack?: (() => void) | undefined;
}

/** Every amount and date once more, and one button that says what it takes. */
export function ReviewStep(props: ReviewStepProps) {
  const words = useAllWords();
  const { quote } = props;
  const [consents] = useState(() =>
    props.consents.filter(({ purpose }) => !isAskedOnSummary(purpose) || !props.given.includes(purpose)),
  );
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const [attempt, setAttempt] = useState(0);

  function submit(form: HTMLFormElement) {
    const given = readConsents(form, consents);
    const stillMissing = missingConsents(consents, given);
    setMissing(stillMissing);
    setAttempt((count) => count + 1);
    if (stillMissing.length === 0) props.onPay(given);
  }

  return (
    <FormShell
      title={words.review.title}
      intro={words.review.intro}
      action={words.review.pay(formatPesos(quote.today))}
      pending={props.pending}
      faults={consentFaultLines(missing, words.consents.purposes, words.consentMissing)}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      note={words.review.payNote}
      banner={
        props.notice === null ? null : (
          <Notice tone="warning" role="status" title={props.notice.title}>
            <p>{props.notice.text}</p>
          </Notice>
        )
      }
    >
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
      {props.card === null ? null : (
        <CardLine card={props.card} isSaved={props.cardIsSaved} onChange={props.onChangeCard} />
      )}
      {props.onDisown === null ? null : (
        <Button kind="quiet" onPress={props.onDisown} unavailable={props.pending}>
          {words.recognition.notMe}
        </Button>
      )}
      <Amounts
        rows={[
          { label: words.review.clinic, text: props.providerName },
          { label: words.review.patient, text: props.patientName },
          { label: words.done.rut, rut: props.rut },
          { label: words.summary.price, pesos: quote.total },
          {
            label: words.summary.commission(words.percentage(quote.commission_percentage), quote.commission_regime),
            pesos: quote.commission,
          },
          { label: words.summary.total, pesos: quote.total_cost, weight: "total" },
          { label: words.summary.annualCost, percentage: quote.annual_cost_percentage },
        ]}
      />
      <AgreementFolds texts={quote.texts} show={props.showText} />
      <ConsentList
        consents={consents}
        locale={props.consentLocale}
        given={props.given}
        missing={missing}
        onChange={props.onConsent}
      />
    </FormShell>
  );
}

interface CardLineProps {
  readonly card: PaymentMethod;
  readonly isSaved: boolean;
  readonly onChange: () => void;
}

function CardLine({ card, isSaved, onChange }: CardLineProps) {
  const words = useAllWords();
  const expires = words.review.cardExpires(expiryText(card));
  return (
    <div className={`${styles.box} ${styles.card}`}>
      <CardBrandPlate brand={card.brand} />
      <span className={styles.cardText}>
        <strong>{words.review.cardEnds(brandName(card.brand), card.last4)}</strong>
        <span className={styles.soft}>{isSaved ? `${words.review.savedCard} · ${expires}` : expires}</span>
      </span>
      <Button kind="quiet" onPress={onChange}>
        {isSaved ? (
          words.review.otherCard
        ) : (
          <>
            {words.review.change}
            <span className="aapd-unseen"> {words.review.card}</span>
          </>
        )}
      </Button>
    </div>
  );
}
