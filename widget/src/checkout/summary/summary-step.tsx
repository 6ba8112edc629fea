import type { PatientOrder } from "bff/contract/orders";
import type { Quote } from "bff/contract/quote";
import { Amounts } from "../../design/amounts.tsx";
import { billRows } from "../../design/bill-rows.ts";
import { Fold } from "../../design/fold.tsx";
import { FormShell } from "../../form/form-shell.tsx";
import { formatPesos } from "../../words/format.ts";
import { useWords } from "../../words/words-context.tsx";
import { PaymentCharges } from "../review/payment-charges.tsx";
import styles from "./summary-step.module.css";

export interface SummaryStepProps {
  readonly quote: Quote;
  /** The lines of the clinic's bill; empty if it gave none. */
  readonly items: NonNullable<PatientOrder["items"]>;
  readonly onContinue: () => void;
}

const NO_FAULTS: readonly never[] = [];

/** Today's and the later charge with their days. The terms and consents are on the screen where the patient signs. */
export function SummaryStep({ quote, items, onContinue }: SummaryStepProps) {
  const { summary } = useWords();
  return (
    <FormShell
      title={summary.title}
      action={summary.action}
      pending={false}
      faults={NO_FAULTS}
      problem={null}
      attempt={0}
      onSubmit={onContinue}
    >
      <PaymentCharges quote={quote} />
      <p>
        {summary.when(quote.triggers.access_blocked_days)} <strong>{summary.regardless}</strong>
      </p>
      <section>
        <Amounts rows={[{ label: summary.total, pesos: quote.total_cost, weight: "total" }]} />
        <p className={styles.small}>{summary.included(formatPesos(quote.commission))}</p>
        {items.length === 0 ? null : (
          <Fold title={summary.items}>
            <Amounts rows={billRows(items)} />
          </Fold>
        )}
      </section>
    </FormShell>
  );
}
