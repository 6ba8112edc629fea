import type { InstalmentStatus, PatientOrder } from "bff/contract/orders";
import { deferredRest, laterCharge } from "bff/contract/receipt-amounts";
import { CLAIMED_WITHIN_DAYS } from "bff/contract/terms";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Notice } from "../../design/notice.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { dayAfter, formatPesos, partsOfMoment } from "../../words/format.ts";
import type { ProblemWords, StepWords, Words } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import styles from "./done-step.module.css";
import { Receipt, type ReceiptProps } from "./receipt.tsx";

export interface PaidStepProps extends ReceiptProps {
  /** Called to give the missing access; null on a page that cannot take it, whose patient was sent a link. */
  readonly onGiveAccess: (() => void) | null;
  /** The access was missing, and has been given here. */
  readonly isAccessGiven?: boolean;
  /** Null if there is nowhere to return to; the patient then closes the page. */
  readonly onClose: (() => void) | null;
}

/** The payment succeeded: the receipt, and the next steps with their dates. */
export function PaidStep({ onGiveAccess, isAccessGiven = false, onClose, ...shown }: PaidStepProps) {
  const words = useAllWords();
  const { order, providerName } = shown;
  const [, later] = order.plan.data.installments;
  const text = wordsOf(shown, words.done);
  const closable = lacksAccess(order) ? words.done.closableLater : words.done.closable;
  const intro = (
    <>
      {text.text} <span className={styles.closable}>{closable}</span>
    </>
  );
  return (
    <div className={styles.done}>
      <div className={styles.head}>
        <span className={styles.mark} data-owed={isOwed(order)}>
          <Icon name={isOwed(order) ? "info" : "check"} size={36} />
        </span>
        <ScreenTitle title={text.title} intro={onClose === null ? intro : text.text} />
      </div>
      {lacksAccess(order) ? <MissingAccess onGive={onGiveAccess} /> : null}
      {isAccessGiven ? <ArrivingNotice words={words.done.accessGiven} tone="success" /> : null}
      <Receipt {...shown} />
      {later.status === "scheduled" ? <WhatIsNext order={order} /> : null}
      {onClose === null ? null : (
        <Button kind="primary" onPress={onClose}>
          {words.done.return(providerName)}
        </Button>
      )}
    </div>
  );
}

function wordsOf({ order, providerName, isOutcome }: ReceiptProps, words: StepWords["done"]): ProblemWords {
  const [today] = order.plan.data.installments;
  switch (order.status) {
    case "paid": {
      const due = isWithdrawn(order) ? words.owedTitle : words.failedTitle;
      const title = isOwed(order) ? due : isOutcome ? words.alreadyTitle : words.title;
      return { title, text: `${words.text(formatPesos(today.amount), providerName)} ${laterText(order, words)}` };
    }
    case "partially_refunded":
    case "refunded":
      return { title: words.refundTitles[order.status], text: refundText(order, words) };
    default:
      return words.statuses[order.status];
  }
}

/** The later charge was given up for operators to handle, and not written off. */
function isOwed({ plan, upcoming_charge: upcoming }: PatientOrder): boolean {
  return plan.data.installments[1].status === "failed" && upcoming?.status !== "none";
}

/** Only charged money returns to a card, so refunds and cancelled charges have separate texts. */
function refundText(order: PatientOrder, words: StepWords["done"]): string {
  const { deferred_cancelled: cut, returned_amount: returned } = order;
  const { transferred_amount: transferred = 0, bank_returned_amount: byBank = 0 } = order;
  const parts = [
    cut > 0 && deferredRest(order) > 0 && order.upcoming_charge?.status !== "none" ? words.cutText : "",
    returned > 0 ? words.returnedText(formatPesos(returned)) : "",
    transferred > 0 ? words.transferredText(formatPesos(transferred)) : "",
    byBank > 0 ? words.bankReturnedText(formatPesos(byBank)) : "",
    laterText(order, words),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The outcome of the later charge; empty while it is pending, because the next steps announce it. */
function laterText(order: PatientOrder, words: StepWords["done"]): string {
  const { collected, noLater } = words;
  const failed = isWithdrawn(order) ? words.owed : words.failed;
  const texts: Readonly<Record<InstalmentStatus, string>> = {
    pending: "",
    scheduled: "",
    captured: collected,
    collected,
    refunded: collected,
    cancelled: noLater,
    failed: isOwed(order) ? failed(formatPesos(laterCharge(order))) : noLater,
  };
  return texts[order.plan.data.installments[1].status];
}

/** The patient has withdrawn consent to the later charge, which is still to come or already owed. */
function isWithdrawn(order: PatientOrder): boolean {
  return order.mandate_revoked === true;
}

/** The patient has paid, but their reimbursement cannot be claimed yet. */
function lacksAccess(order: PatientOrder): boolean {
  return order.missing_step === "insurer_access";
}

function MissingAccess({ onGive }: { readonly onGive: (() => void) | null }) {
  const { missingAccess, missingAccessSent } = useAllWords().done;
  return (
    <Notice tone="warning" title={missingAccess.title}>
      <p>{missingAccess.text}</p>
      {onGive === null ? <p>{missingAccessSent}</p> : <Button onPress={onGive}>{missingAccess.action}</Button>}
    </Notice>
  );
}

/** The last day to claim, if the receipt has the date of the payment. */
function claimUntil({ paid_at, updated_at }: PatientOrder): string {
  return dayAfter(partsOfMoment(paid_at ?? updated_at).day, CLAIMED_WITHIN_DAYS);
}

/** The upcoming charge by its state, and the text below it; null if there is none. */
function upcomingText(order: PatientOrder, { done, date }: Words): readonly [string, string] | null {
  const { upcoming_charge: upcoming } = order;
  const amount = formatPesos(upcoming?.amount ?? laterCharge(order));
  const day = date(upcoming?.day ?? order.plan.data.installments[1].latest_due_date);
  switch (upcoming?.status ?? (isWithdrawn(order) ? "card_needed" : "by_day")) {
    case "none":
      return null;
    case "in_flight":
      return [done.nextChargeInFlight(amount), done.nextChargeInFlightText];
    case "due_now":
    case "on_day":
      return [done.nextChargeOn(amount, day), done.nextChargeOnText];
    case "by_day":
      return [done.nextCharge(amount, day), done.nextChargeText];
    case "on_hold":
      return [done.nextChargeOnHold, done.nextChargeOnHoldText];
    case "card_needed":
      return [done.nextOwed(amount, day), done.nextOwedText];
  }
}

function WhatIsNext({ order }: { readonly order: PatientOrder }) {
  const words = useAllWords();
  const upcoming = upcomingText(order, words);
  return (
    <section className={styles.next}>
      <h2 className={styles.heading}>{words.done.nextTitle}</h2>
      <ol className={styles.steps}>
        <li>
          <strong>{words.done.nextClaim}</strong>
          <span>{words.done.nextClaimText(lacksAccess(order), words.date(claimUntil(order)))}</span>
        </li>
        <li>
          <strong>{words.done.nextNotice}</strong>
          <span>{words.done.nextNoticeText}</span>
        </li>
        {upcoming === null ? null : (
          <li>
            <strong>{upcoming[0]}</strong>
            <span>{upcoming[1]}</span>
          </li>
        )}
      </ol>
    </section>
  );
}

interface OnboardedStepProps {
  /** Whether the isapre's password was given. */
  readonly linked: boolean;
  readonly onClose: (() => void) | null;
}

/** The end of an onboarding without an order. */
export function OnboardedStep({ linked, onClose }: OnboardedStepProps) {
  const words = useAllWords();
  return (
    <div className={styles.done}>
      <div className={styles.head}>
        <span className={styles.mark}>
          <Icon name="check" size={36} />
        </span>
        <ScreenTitle
          title={words.done.onboardedTitle}
          intro={linked ? words.done.onboardedLinked : words.done.onboardedText}
        />
      </div>
      {onClose === null ? null : (
        <Button kind="primary" onPress={onClose}>
          {words.page.close}
        </Button>
      )}
    </div>
  );
}
