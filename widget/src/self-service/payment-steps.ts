import { INSURERS } from "bff/contract/onboarding";
import type { PaidPart, PaymentPage } from "bff/contract/payment-page";
import { CLAIMED_WITHIN_DAYS } from "bff/contract/terms";
import type { PAYMENT_WORDS } from "./payment-words.ts";

/** A point of the timeline. `now` is the current one, `stuck` needs an action. */
export interface PaymentStep {
  readonly label: string;
  readonly state: "done" | "now" | "stuck" | "ahead";
  readonly note: string | null;
  readonly pesos: number | null;
}

/** How the page formats days and cards. */
export interface Writing {
  readonly words: (typeof PAYMENT_WORDS)["en"];
  /** Formats a calendar day. */
  readonly date: (day: string) => string;
  /** Formats a moment. */
  readonly dayOf: (moment: string) => string;
  readonly cardEnds: (card: NonNullable<PaidPart["card"]>) => string;
  readonly pesos: (amount: number) => string;
}

/** The timeline of a payment, from the first payment to the second charge. */
export function paymentSteps(payment: PaymentPage, writing: Writing): readonly PaymentStep[] {
  return [firstStep(payment, writing), ...claimSteps(payment, writing), secondStep(payment, writing)];
}

function firstStep({ paid }: PaymentPage, writing: Writing): PaymentStep {
  const first = paid.find(({ kind }) => kind === "first");
  const label = writing.words.steps.paid;
  return first === undefined
    ? { label, state: "done", note: null, pesos: null }
    : { label, ...charged(first, writing), pesos: first.amount };
}

/** A charge by card: day, card, code and reason, and what the patient's bank has taken back of it. */
function charged(
  { at, card, authorization_code: code, disputed_amount: disputed, lost_amount: lost }: PaidPart,
  { words, dayOf, cardEnds, pesos }: Writing,
  reason: PaymentPage["second_charge"]["upcoming"]["reason"] = null,
): Pick<PaymentStep, "state" | "note"> {
  const note = words.paidOn(dayOf(at), card && cardEnds(card), code, reason && words.second.reasons[reason]);
  if (disputed === 0) return { state: "done", note };
  const isReviewed = disputed > (lost ?? 0);
  return {
    state: isReviewed ? "stuck" : "done",
    note: `${note}. ${words[isReviewed ? "disputed" : "bankReturned"](pesos(disputed))}`,
  };
}

/** Receipt, claim and answer; none for an order that was refunded before it had a claim. */
function claimSteps({ claim, ...payment }: PaymentPage, writing: Writing): readonly PaymentStep[] {
  if (claim === null) return [];
  const { steps } = writing.words;
  const { status, consultation_day: receiptDay } = payment;
  // A claim that was stopped before its receipt arrived waits for none.
  const isReceiptUnneeded = claim.status === "stopped" && claim.filed_at === null && receiptDay === null;
  return [
    ...(isReceiptUnneeded
      ? []
      : [{ label: steps.receipt, pesos: null, ...receipt(claim, Date.parse(payment.as_of), writing) }]),
    { label: steps.filed, pesos: null, ...filing(claim, writing) },
    { label: steps.answer, ...answer(claim, status === "refunded", writing) },
  ];
}

type Claim = NonNullable<PaymentPage["claim"]>;

const DAY_MS = 86_400_000;
/** Names the calendar day of a moment as `2026-11-21`. */
const CALENDAR_DAY = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Santiago" });

function receipt(
  { status, since }: Claim,
  now: number,
  { words: { receipt: words }, date }: Writing,
): Pick<PaymentStep, "state" | "note"> {
  if (status !== "waiting_for_receipt") return { state: "done", note: words.sent };
  const paidOn = Date.parse(CALENDAR_DAY.format(new Date(since)));
  const until = new Date(paidOn + CLAIMED_WITHIN_DAYS * DAY_MS).toISOString().slice(0, 10);
  return CALENDAR_DAY.format(now) > until
    ? { state: "stuck", note: words.late(date(until)) }
    : { state: "now", note: words.awaited(date(until)) };
}

function filing(
  { status, filed_at, insurer, missing_document_types }: Claim,
  { words: { filing, documents }, dayOf }: Writing,
): Pick<PaymentStep, "state" | "note"> {
  if (filed_at !== null) return { state: "done", note: filing.filed(insurerName(insurer), dayOf(filed_at)) };
  switch (status) {
    case "access_missing":
    case "access_blocked":
      return { state: "stuck", note: filing[status] };
    case "held":
      return { state: "stuck", note: filing.held(missing_document_types.map((each) => documents[each]).join(", ")) };
    case "queued":
      return { state: "now", note: filing.queued };
    case "stopped":
      return { state: "stuck", note: filing.stopped };
    default:
      return { state: "ahead", note: null };
  }
}

function answer(
  { status, since, filed_at, reason, charged_on_if_blocked: chargedOn, reimbursed_amount: reimbursed }: Claim,
  isRefunded: boolean,
  { words: { answer: words }, date, dayOf }: Writing,
): Pick<PaymentStep, "state" | "note" | "pesos"> {
  switch (status) {
    case "approved":
      return { state: "done", note: words.approved(dayOf(since)), pesos: reimbursed };
    case "rejected":
      return { state: "stuck", note: words.rejected(dayOf(since), reason), pesos: null };
    case "access_blocked":
      return { state: "stuck", note: words.blocked(dayOf(since), chargedOn && date(chargedOn)), pesos: null };
    case "filed":
      return { state: "now", note: words.awaited, pesos: null };
    case "stopped":
      return filed_at === null
        ? { state: "ahead", note: null, pesos: null }
        : { state: "stuck", note: isRefunded ? words.refunded : words.stopped, pesos: null };
    default:
      return { state: filed_at === null ? "ahead" : "now", note: null, pesos: null };
  }
}

function insurerName(insurer: Claim["insurer"]): string {
  return insurer === null || insurer === "fonasa" || insurer === "none" ? "isapre" : INSURERS[insurer];
}

function secondStep({ second_charge: second, paid }: PaymentPage, writing: Writing): PaymentStep {
  const { words, dayOf } = writing;
  const label = words.steps.second;
  const part = paid.findLast(({ kind }) => kind === "deferred");
  switch (second.status) {
    case "collected":
    case "paid_otherwise": {
      if (part === undefined) return { label, state: "done", note: null, pesos: null };
      if (part.card !== null) return { label, ...charged(part, writing, second.upcoming.reason), pesos: part.amount };
      return { label, state: "done", note: words.second.paid_otherwise(dayOf(part.at)), pesos: part.amount };
    }
    case "cancelled":
    case "written_off":
      return { label, state: "done", note: words.second[second.status], pesos: null };
    case "pending":
      return {
        label,
        ...pending(second, writing),
        pesos: second.upcoming.amount === 0 ? null : second.upcoming.amount,
      };
  }
}

function pending(
  { upcoming: { status, day, reason }, held_by: heldBy, declined }: PaymentPage["second_charge"],
  { words: { second }, date, dayOf }: Writing,
): Pick<PaymentStep, "state" | "note"> {
  const before = declined === null ? [] : [second.declined(declined.card.last4, dayOf(declined.at))];
  const joined = (note: string) => [...before, note].join(" ");
  if (heldBy !== null) {
    const until = day === null ? [] : [second.until(date(day))];
    return { state: "stuck", note: [...until, joined(second.held[heldBy])].join(" ") };
  }
  switch (status) {
    case "by_day":
      return { state: "ahead", note: second.by_day(date(day ?? "")) };
    case "on_day":
      if (declined !== null) return { state: "now", note: joined(second.again(date(day ?? ""))) };
      return { state: "now", note: second.on_day(date(day ?? ""), reason && second.reasons[reason]) };
    case "due_now":
    case "in_flight":
      return { state: "now", note: second[status] };
    default:
      return { state: "ahead", note: joined(second.on_hold) };
  }
}
