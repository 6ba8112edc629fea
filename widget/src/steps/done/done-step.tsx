import type { PatientOrder } from "bff/contract/orders";
import { addClp } from "bff/contract/vocabulary/clp";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { formatPesos } from "../../words/format.ts";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./done-step.module.css";
import { Receipt } from "./receipt.tsx";

export interface PaidStepProps {
  readonly order: PatientOrder;
  readonly providerName: string;
  /** Seen again, with a token that has been used: nothing was paid just now. */
  readonly isOutcome?: boolean;
  /** Null where there is no page around to go back to. */
  readonly onClose: (() => void) | null;
  readonly onPrint: () => void;
}

/** It worked: the receipt, and what happens next and when. */
export function PaidStep({ order, providerName, isOutcome = false, onClose, onPrint }: PaidStepProps) {
  const words = useAllWords();
  const [today, later] = order.plan.data.installments;
  const laterCharge = addClp(later.amount, order.plan.data.commission.amount);
  const isPaid = order.status === "paid";
  // A link that is opened weeks later may find that nothing is left to come.
  const isLaterToCome = isPaid && (later.status === "pending" || later.status === "scheduled");
  const status = words.done.statuses[order.status];
  return (
    <div className={styles.done}>
      <div className={styles.head}>
        <span className={styles.mark}>
          <Icon name="check" size={36} />
        </span>
        <ScreenTitle
          title={isPaid ? (isOutcome ? words.done.alreadyTitle : words.done.title) : status.title}
          intro={isPaid ? words.done.text(formatPesos(today.amount), providerName) : status.text}
        />
      </div>
      <Receipt order={order} providerName={providerName} />
      {isLaterToCome ? <WhatIsNext laterCharge={laterCharge} latestDay={later.latest_due_date} /> : null}
      <div className={styles.actions}>
        {onClose === null ? null : (
          <Button kind="primary" onPress={onClose}>
            {words.done.return(providerName)}
          </Button>
        )}
        <Button onPress={onPrint}>{words.done.print}</Button>
      </div>
    </div>
  );
}

function WhatIsNext({ laterCharge, latestDay }: { readonly laterCharge: number; readonly latestDay: string }) {
  const words = useAllWords();
  return (
    <section className={styles.next}>
      <h2 className={styles.heading}>{words.done.nextTitle}</h2>
      <ol className={styles.steps}>
        <li>
          <strong>{words.done.nextClaim}</strong>
          <span>{words.done.nextClaimText}</span>
        </li>
        <li>
          <strong>{words.done.nextNotice}</strong>
          <span>{words.done.nextNoticeText}</span>
        </li>
        <li>
          <strong>{words.done.nextCharge(formatPesos(laterCharge), words.date(latestDay))}</strong>
          <span>{words.done.nextChargeText}</span>
        </li>
      </ol>
    </section>
  );
}

/** The end of an onboarding without an order. */
export function OnboardedStep({ onClose }: { readonly onClose: (() => void) | null }) {
  const words = useAllWords();
  return (
    <div className={styles.done}>
      <div className={styles.head}>
        <span className={styles.mark}>
          <Icon name="check" size={36} />
        </span>
        <ScreenTitle title={words.done.onboardedTitle} intro={words.done.onboardedText} />
      </div>
      {onClose === null ? null : (
        <Button kind="primary" onPress={onClose}>
          {words.page.close}
        </Button>
      )}
    </div>
  );
}
