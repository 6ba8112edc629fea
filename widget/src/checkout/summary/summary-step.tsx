import type { ConsentPurpose, PatientOrder } from "bff/contract/orders";
import type { Quote } from "bff/contract/quote";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useState } from "react";
import { Amounts, Charges } from "../../design/amounts.tsx";
import { billRows } from "../../design/bill-rows.ts";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../../form/consent-list.tsx";
import { FormShell } from "../../form/form-shell.tsx";
import { useWords } from "../../words/words-context.tsx";
import { AgreementFolds, type ShowText } from "../agreement/agreement-folds.tsx";
import styles from "./summary-step.module.css";

export interface SummaryStepProps {
  readonly providerName: string;
  readonly quote: Quote;
  /** The lines of the clinic's bill; empty where it has given none. */
  readonly items: NonNullable<PatientOrder["items"]>;
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  readonly given: readonly ConsentPurpose[];
  readonly showText: ShowText;
  readonly onConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly onContinue: (given: readonly ConsentPurpose[]) => void;
}

/** The consent that belongs beside the amounts: the later charge. The credit itself is agreed to where it is paid. */
export function isAskedOnSummary(purpose: ConsentPurpose): boolean {
  return purpose === "later_charge";
}

/** What is paid today and later, when, and on what terms: all that the law wants said before the card. */
export function SummaryStep(props: SummaryStepProps) {
  const words = useWords();
  const { quote, consents } = props;
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const [attempt, setAttempt] = useState(0);

  function submit(form: HTMLFormElement) {
    const given = readConsents(form, consents);
    const stillMissing = missingConsents(consents, given);
    setMissing(stillMissing);
    setAttempt((count) => count + 1);
    if (stillMissing.length === 0) props.onContinue(given);
  }

  return (
    <FormShell
      title={words.summary.title}
      intro={words.summary.service(props.providerName)}
      action={words.summary.action}
      pending={false}
      faults={consentFaultLines(missing, words.consents.purposes, words.consentMissing)}
      problem={null}
      attempt={attempt}
      onSubmit={submit}
    >
      <Hero quote={quote} />
      <section className={styles.section}>
        {props.items.length === 0 ? null : (
          <details className={styles.terms}>
            <summary>{words.summary.items}</summary>
            <div className={styles.bill}>
              <Amounts rows={billRows(props.items)} />
            </div>
          </details>
        )}
        <Amounts
          rows={[
            { label: words.summary.price, pesos: quote.total },
            {
              label: words.summary.commission(words.percentage(quote.commission_percentage), quote.commission_regime),
              pesos: quote.commission,
            },
            { label: words.summary.total, pesos: quote.total_cost, weight: "total" },
          ]}
        />
      </section>
      <Triggers quote={quote} />
      <Credit quote={quote} />
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

function Hero({ quote }: { readonly quote: Quote }) {
  const words = useWords();
  return (
    <Charges
      look="hero"
      charges={[
        { label: words.summary.today, note: words.summary.todayNote, pesos: quote.today },
        {
          label: words.summary.later,
          note: words.summary.laterNote(words.date(quote.latest_due_date)),
          pesos: quote.later_charge,
        },
      ]}
    />
  );
}

function Triggers({ quote }: { readonly quote: Quote }) {
  const words = useWords();
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{words.summary.whenTitle}</h2>
      <p>{words.summary.whenIntro}</p>
      <ol className={styles.triggers}>
        <li>{words.summary.triggerApproval}</li>
        <li>{words.summary.triggerBlocked(quote.triggers.access_blocked_days)}</li>
        <li>{words.summary.triggerLatest(quote.triggers.latest_day, words.date(quote.latest_due_date))}</li>
      </ol>
      <p className={styles.regardless}>{words.summary.regardless}</p>
    </section>
  );
}

function Credit({ quote }: { readonly quote: Quote }) {
  const words = useWords();
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{words.summary.creditTitle}</h2>
      <Amounts
        rows={[
          { label: words.summary.creditProvider, text: quote.financing_provider },
          { label: words.summary.deferredPart, pesos: quote.later },
          { label: words.summary.creditTotal, pesos: quote.later_charge },
          { label: words.summary.annualCost, percentage: quote.annual_cost_percentage },
        ]}
      />
      <p className={styles.small}>{words.summary.annualCostNote(words.date(quote.latest_due_date))}</p>
      <p>{words.summary.withdrawal}</p>
      <details className={styles.terms}>
        <summary>{words.summary.termsTitle}</summary>
        <ul>
          <li>{words.summary.earlyPayment}</li>
          <li>{words.summary.latePayment}</li>
        </ul>
      </details>
    </section>
  );
}
