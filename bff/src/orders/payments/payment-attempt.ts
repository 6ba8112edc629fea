/* The state machine of a payment attempt: which gateway call comes next, and what each answer changes. */

import { causeOf, type DeclineCause, type RefundRefusal, type RefusedInstalment } from "../../contract/errors.ts";
import type { WaitsFor } from "../../contract/orders.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { type ChargeVoucher, chargeVoucherOf } from "../../contract/vocabulary/voucher.ts";
import type { ChargeOutcome, ReturnOutcome } from "../../gateways/card-processor.ts";
import type { ConfirmationOutcome, LoanOutcome, ReductionOutcome } from "../../gateways/financing-provider.ts";
import { type Answered, inquiryAt } from "../../gateways/gateway-call.ts";
import { type AcceptedReturn, acceptedReturn } from "../../gateways/run-call.ts";
import {
  type AuthenticationAnswer,
  authenticationState,
  type Challenge,
} from "../../gateways/strong-authentication.ts";
import type { AttemptConnectors } from "../dependencies.ts";
import { firstChargeId } from "../derived-ids.ts";
import { captureTransfer, loanTransfer, returnTransfer, stampTaxTransfer, type Transfer } from "../ledger/transfers.ts";
import type { PaymentFailure } from "../lifecycle/move-order.ts";
import type { OrderTrigger } from "../order.ts";
import type { OrderCard, OrderRecord, PaymentRecord } from "../order-record.ts";

/**
 * Kind of the timer that settles an attempt whose process died or whose outcome is unknown. Its key is the attempt's
 * id.
 */
export const SETTLE_PAYMENT_TIMER = "payment.settle";

/**
 * The state of a payment attempt. It names the gateway call that is about to be made or is not yet answered, and is
 * stored before the call. Credit is decided before money is taken:
 * authorising_loan → authenticating → capturing → confirming_loan → succeeded
 * and for providers that capture first: authenticating → capturing → authorising_loan → confirming_loan → succeeded.
 */
export type AttemptState =
  | "authorising_loan"
  /** The financing provider is reviewing the loan; its decision is requested later. */
  | "loan_under_review"
  | "authenticating"
  /** The patient is at the issuer's challenge. */
  | "challenged"
  | "capturing"
  | "confirming_loan"
  /** The authorised loan or the captured charge is being undone before the attempt ends without success. */
  | "cancelling_loan"
  | "returning_charge"
  | EndState;
export type EndState = "succeeded" | "declined" | "failed";
/** The states with a call to a gateway. */
export type CallingState = Exclude<AttemptState, EndState>;

/** How an attempt ends without success. After a declined card another attempt may follow; a refused credit is final. */
export type Ending =
  | ({ readonly as: "declined" } & DeclineCause)
  | {
      readonly as: "failed";
      readonly code: "credit_declined" | "confirmation_declined";
      /** Objective reasons in plain Spanish. The law requires that they are written and kept. */
      readonly reasons: readonly string[];
    };

export interface PaymentAttempt {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The id of the order's payment. The idempotency keys of all its calls are derived from it. */
  readonly id: string;
  readonly state: AttemptState;
  /** The connectors that take its calls; null if an earlier version stored it. */
  readonly connectors: AttemptConnectors;
  readonly captureFirst: boolean;
  readonly first: Clp;
  readonly deferred: Clp;
  /** The stamp tax on the loan, if the accepted agreement names it as part of the commission; otherwise 0. */
  readonly stampTax: Clp;
  readonly rut: Rut;
  readonly card: Pick<OrderCard, "id" | "last4">;
  readonly loanId: string | null;
  readonly authenticationId: string | null;
  readonly challenge: Challenge | null;
  readonly chargeId: string | null;
  readonly ending: Ending | null;
  /** True if the card processor has accepted the return of the charge and will report the result later. */
  readonly isReturnTaken: boolean;
  /** Inquiries since the last progress. */
  readonly inquiries: number;
  /** When the patient paid, in the provider's time. */
  readonly startedAt: Date;
}

/** A gateway's answer to the call that the state names. */
export type GatewayAnswer =
  | { readonly to: "loan"; readonly answer: Answered<LoanOutcome> }
  | { readonly to: "authentication"; readonly answer: AuthenticationAnswer }
  | { readonly to: "charge"; readonly answer: Answered<ChargeOutcome> }
  | { readonly to: "confirmation"; readonly answer: Answered<ConfirmationOutcome> }
  | { readonly to: "reduction"; readonly answer: Answered<ReductionOutcome> }
  | { readonly to: "return"; readonly answer: Answered<ReturnOutcome> };

/** The changes that an answer makes to the attempt. An unchanged state means: wait and inquire again later. */
export interface Step {
  readonly state: AttemptState;
  readonly loanId?: string;
  readonly authenticationId?: string;
  readonly challenge?: Challenge;
  readonly chargeId?: string;
  /** Present with `chargeId`: the part of its voucher that may be stored. */
  readonly voucher?: ChargeVoucher;
  readonly ending?: Ending;
  /** Set when the card processor has accepted the return. The result is inquired about later. */
  readonly acceptedReturn?: AcceptedReturn;
  /** Set if money could not be returned, so that an operator must act. */
  readonly attention?: "return_refused";
  /** The reason, if the processor gives one. */
  readonly refusal?: RefundRefusal;
}

/** The order's next attempt. */
export function newAttempt(
  { providerId, orderId, first, deferred, customer, payments }: OrderRecord,
  terms: Pick<PaymentAttempt, "card" | "stampTax" | "captureFirst" | "connectors" | "startedAt">,
): PaymentAttempt {
  return {
    ...terms,
    providerId,
    orderId,
    id: firstChargeId(orderId, payments.length + 1),
    state: firstState(terms.captureFirst),
    first,
    deferred,
    rut: customer.rut,
    loanId: null,
    authenticationId: null,
    challenge: null,
    chargeId: null,
    ending: null,
    isReturnTaken: false,
    inquiries: 0,
  };
}

export function firstState(captureFirst: boolean): AttemptState {
  return captureFirst ? "authenticating" : "authorising_loan";
}

/** The order while this attempt is in progress. */
export function orderDuring({
  providerId,
  orderId,
  captureFirst,
  chargeId,
}: PaymentAttempt): Pick<OrderRecord, "providerId" | "orderId" | "state"> {
  return { providerId, orderId, state: captureFirst && chargeId !== null ? "first_captured" : "paying" };
}

export function hasEnded(state: AttemptState): state is EndState {
  return state === "succeeded" || state === "declined" || state === "failed";
}

/** The party that has to act or answer before an open attempt can continue. */
const WAITS_FOR: Readonly<Record<CallingState, WaitsFor>> = {
  challenged: "patient",
  authenticating: "bank",
  capturing: "bank",
  returning_charge: "bank",
  authorising_loan: "lender",
  loan_under_review: "lender",
  confirming_loan: "lender",
  cancelling_loan: "lender",
};

/** Null if the attempt has ended. */
export function waitsFor(state: AttemptState): WaitsFor | null {
  return hasEnded(state) ? null : WAITS_FOR[state];
}

/** True if the attempt waits for the patient or a review rather than for the answer to a call. */
export function isWaiting(state: AttemptState): boolean {
  return state === "challenged" || state === "loan_under_review";
}

/** The attempt after a step. */
export function attemptAfter(attempt: PaymentAttempt, step: Step): PaymentAttempt {
  const { attention, refusal, acceptedReturn: accepted, voucher, ...changes } = step;
  const isReturnTaken = attempt.isReturnTaken || accepted !== undefined;
  return { ...attempt, ...changes, isReturnTaken, inquiries: 0 };
}

/** The step that follows a gateway's answer. `now` is in the provider's time. */
export function nextStep(attempt: PaymentAttempt, { to, answer }: GatewayAnswer, now: Date): Step {
  switch (to) {
    case "loan":
      return afterLoan(attempt, answer);
    case "authentication":
      return afterAuthentication(attempt, answer, now);
    case "charge":
      return afterCharge(attempt, answer);
    case "confirmation":
      return answer.outcome === "confirmed"
        ? { state: "succeeded" }
        : undo(attempt, { as: "failed", code: "confirmation_declined", reasons: answer.reasons });
    case "reduction":
      return ended(attempt);
    case "return":
      return afterReturn(attempt, answer, now);
  }
}

function afterReturn(attempt: PaymentAttempt, answer: Answered<ReturnOutcome>, now: Date): Step {
  switch (answer.outcome) {
    case "returned":
      return ended(attempt);
    case "pending":
      return { state: attempt.state, acceptedReturn: acceptedReturn(answer, now) };
    case "refused": {
      const { reason } = answer;
      return { ...ended(attempt), attention: "return_refused", ...(reason !== undefined && { refusal: reason }) };
    }
  }
}

function afterLoan(attempt: PaymentAttempt, answer: Answered<LoanOutcome>): Step {
  switch (answer.outcome) {
    case "authorised":
      return { state: attempt.chargeId === null ? "authenticating" : "confirming_loan", loanId: answer.loanId };
    case "under_review":
      return { state: "loan_under_review", loanId: answer.loanId };
    case "refused":
      return undo({ ...attempt, loanId: null }, { as: "failed", code: "credit_declined", reasons: answer.reasons });
  }
}

function afterAuthentication(attempt: PaymentAttempt, answer: AuthenticationAnswer, now: Date): Step {
  const authentication = authenticationState(answer, now);
  switch (authentication.state) {
    case "proven": {
      const { authenticationId } = authentication;
      return { state: "capturing", ...(authenticationId !== null && { authenticationId }) };
    }
    case "challenged":
      return authentication;
    case "declined":
      return undo(attempt, { as: "declined", reason: authentication.reason });
  }
}

function afterCharge(attempt: PaymentAttempt, answer: Answered<ChargeOutcome>): Step {
  if (answer.outcome === "declined") return undo(attempt, { as: "declined", ...causeOf(answer) });
  return {
    state: attempt.captureFirst ? "authorising_loan" : "confirming_loan",
    chargeId: answer.chargeId,
    voucher: chargeVoucherOf(answer, attempt.card),
  };
}

/** Undoes the earlier steps: returns the captured money or cancels the authorised loan. */
function undo(attempt: PaymentAttempt, ending: Ending): Step {
  if (attempt.chargeId !== null) return { state: "returning_charge", ending };
  if (attempt.loanId !== null) return { state: "cancelling_loan", ending };
  return { state: ending.as, ending };
}

/** Thrown when an attempt is being undone but has no recorded ending: a defect. */
class EndingUnknown extends Error {
  override readonly name = "EndingUnknown";
  readonly code = "ending_unknown";
}

function ended({ ending }: PaymentAttempt): Step {
  if (ending === null) throw new EndingUnknown("an attempt is being undone for no reason");
  return { state: ending.as, ending };
}

/**
 * When to inquire again, in the provider's time: after the next delay of the schedule, at the latest when a challenge
 * expires.
 */
export function nextInquiryAt(
  attempt: Pick<PaymentAttempt, "state" | "inquiries" | "challenge"> & Partial<Pick<PaymentAttempt, "isReturnTaken">>,
  now: Date,
): Date {
  const { state, inquiries, challenge, isReturnTaken = false } = attempt;
  const byList = inquiryAt(now, { inquiries, isTaken: isReturnTaken });
  if (state !== "challenged" || challenge === null) return byList;
  // An expired challenge was just inquired about, so the schedule applies.
  return challenge.expiresAt > now && challenge.expiresAt < byList ? challenge.expiresAt : byList;
}

/** The outcome of the attempt's payment as the partner sees it. */
export type PaymentChange = "captured" | "undone" | "declined" | "failed";

/** The triggers by which an attempt moves its order. `start_payment` creates the attempt. */
export type PaymentTrigger = Extract<
  OrderTrigger,
  "capture_first" | "complete_payment" | "decline_payment" | "fail_payment"
>;

/** The changes that a step makes outside the attempt, in the same transaction. */
export interface StepEffects {
  readonly payment: PaymentChange | null;
  readonly trigger: PaymentTrigger | null;
  /** Only with a `fail_payment`. */
  readonly failure: PaymentFailure | null;
  readonly transfers: readonly Transfer[];
}

/** `at` in the provider's time. */
export function effectsOf(attempt: PaymentAttempt, step: Step, at: Date): StepEffects {
  const isCaptured = attempt.chargeId === null && step.chargeId !== undefined;
  const isReturned = attempt.state === "returning_charge" && hasEnded(step.state) && step.attention === undefined;
  return {
    payment: isCaptured ? "captured" : isReturned ? "undone" : endOfPayment(attempt, step),
    trigger: isCaptured ? (attempt.captureFirst ? "capture_first" : null) : endOfOrder(step),
    failure: failureOf(attempt, step),
    transfers: transfersOf(attempt, step, { isCaptured, isReturned }, at),
  };
}

function endOfPayment(attempt: PaymentAttempt, { state }: Step): PaymentChange | null {
  // A captured charge that could not be returned stays `captured`.
  return attempt.chargeId === null && (state === "declined" || state === "failed") ? state : null;
}

function endOfOrder({ state }: Step): PaymentTrigger | null {
  if (!hasEnded(state)) return null;
  const triggers = { succeeded: "complete_payment", declined: "decline_payment", failed: "fail_payment" } as const;
  return triggers[state];
}

function transfersOf(
  attempt: PaymentAttempt,
  step: Step,
  { isCaptured, isReturned }: { readonly isCaptured: boolean; readonly isReturned: boolean },
  at: Date,
): readonly Transfer[] {
  const { providerId, orderId, id: sourceId, first, deferred, stampTax } = attempt;
  const movement = { providerId, orderId, sourceId, at };
  if (isCaptured) return [captureTransfer({ ...movement, amount: first })];
  if (isReturned) return [returnTransfer({ ...movement, amount: first })];
  if (step.state !== "succeeded") return [];
  const taxes = stampTax > 0 ? [stampTaxTransfer({ ...movement, amount: stampTax })] : [];
  return [loanTransfer({ ...movement, amount: deferred }), ...taxes];
}

/** The failure as partners see it; null if the order does not fail. The reasons are only for the patient. */
function failureOf({ chargeId }: PaymentAttempt, { state, ending, attention }: Step): PaymentFailure | null {
  if (state !== "failed" || ending?.as !== "failed") return null;
  const refusals = {
    credit_declined: "The financing provider refused the credit",
    confirmation_declined: "The financing provider refused to confirm the loan",
  };
  const ends = {
    not_charged: ".",
    returned: "; the first instalment was given back.",
    not_returned: "; the first instalment could not be given back yet.",
  };
  const firstInstalment = chargeId === null ? "not_charged" : attention === undefined ? "returned" : "not_returned";
  return { code: ending.code, message: `${refusals[ending.code]}${ends[firstInstalment]}` };
}

/** The state of the first instalment of a payment whose credit was refused. */
export function firstInstalmentOf(payment: Pick<PaymentRecord, "status" | "chargeId"> | undefined): RefusedInstalment {
  if (payment === undefined || payment.chargeId === null) return "not_charged";
  return payment.status === "undone" ? "returned" : "not_returned";
}
