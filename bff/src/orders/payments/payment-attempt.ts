import type { DeclineReason } from "../../contract/errors.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { AuthenticationOutcome, ChargeOutcome, ReturnOutcome } from "../../gateways/card-processor/port.ts";
import type { ConfirmationOutcome, LoanOutcome, ReductionOutcome } from "../../gateways/financing-provider/port.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { inquiryDelayMs } from "../../gateways/inquiry-delay.ts";
import type { OrderState } from "../orders/order.ts";

/**
 * Where the attempt to pay is. A state names the outside call that is about to be made, or has been
 * made without an answer yet; it is written before the call. Credit is decided before money is taken:
 *
 *     authorising_loan → authenticating → capturing → confirming_loan → succeeded
 *
 * and for providers that capture first: authenticating → capturing → authorising_loan → confirming_loan → succeeded.
 */
export type AttemptState =
  | "authorising_loan"
  /** The financing provider is looking at it; asked again later. */
  | "loan_under_review"
  | "authenticating"
  /** The patient is at the issuer's challenge. */
  | "challenged"
  | "capturing"
  | "confirming_loan"
  /** What came before a decline is undone. */
  | "cancelling_loan"
  | "returning_charge"
  | EndState;
export type EndState = "succeeded" | "declined" | "failed";

/** How an attempt ends that does not succeed: a declined card may be tried again, a refused credit is final. */
export type Ending =
  | { readonly as: "declined"; readonly reason: DeclineReason }
  | {
      readonly as: "failed";
      readonly code: "credit_declined" | "confirmation_declined";
      /** Objective, in plain Spanish; the law wants them written and kept. */
      readonly reasons: readonly string[];
    };

export interface PaymentAttempt {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** Makes the idempotency key of every call; also the id of the order's payment. */
  readonly id: string;
  readonly state: AttemptState;
  readonly captureFirst: boolean;
  readonly first: Clp;
  readonly deferred: Clp;
  readonly rut: Rut;
  readonly cardId: string;
  readonly loanId: string | null;
  readonly authenticationId: string | null;
  readonly challenge: { readonly url: string; readonly expiresAt: Date } | null;
  readonly chargeId: string | null;
  readonly ending: Ending | null;
  /** Inquiries since the last progress. */
  readonly inquiries: number;
  readonly endedAt: Date | null;
}

/** What a party answered to the call that the state names. */
export type GatewayAnswer =
  | { readonly to: "loan"; readonly answer: Answered<LoanOutcome> }
  | { readonly to: "authentication"; readonly answer: Answered<AuthenticationOutcome> }
  | { readonly to: "charge"; readonly answer: Answered<ChargeOutcome> }
  | { readonly to: "confirmation"; readonly answer: Answered<ConfirmationOutcome> }
  | { readonly to: "reduction"; readonly answer: Answered<ReductionOutcome> }
  | { readonly to: "return"; readonly answer: Answered<ReturnOutcome> };

/** What an answer changes of the attempt. The same state again means: wait, and ask later. */
export interface Step {
  readonly state: AttemptState;
  readonly loanId?: string;
  readonly authenticationId?: string;
  readonly challenge?: { readonly url: string; readonly expiresAt: Date };
  readonly chargeId?: string;
  readonly ending?: Ending;
  /** Set when money could not be given back: a person must look at it. */
  readonly attention?: "return_refused";
}

export function firstState(captureFirst: boolean): AttemptState {
  return captureFirst ? "authenticating" : "authorising_loan";
}

/** In which state an order is while this attempt of it is under way. */
export function orderStateOf({ captureFirst, chargeId }: PaymentAttempt): OrderState {
  return captureFirst && chargeId !== null ? "first_captured" : "paying";
}

export function hasEnded(state: AttemptState): state is EndState {
  return state === "succeeded" || state === "declined" || state === "failed";
}

/** Does the attempt wait for somebody rather than for the answer to a call? */
export function isWaiting(state: AttemptState): boolean {
  return state === "challenged" || state === "loan_under_review";
}

/** Where a party's answer leads; `now` is the provider's time. */
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
      return answer.outcome === "returned" ? ended(attempt) : { ...ended(attempt), attention: "return_refused" };
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

function afterAuthentication(attempt: PaymentAttempt, answer: Answered<AuthenticationOutcome>, now: Date): Step {
  switch (answer.outcome) {
    case "not_needed":
      return { state: "capturing" };
    case "authenticated":
      return { state: "capturing", authenticationId: answer.authenticationId };
    case "challenge": {
      const { authenticationId, url, expiresAt } = answer;
      if (now.getTime() >= expiresAt.getTime())
        return undo(attempt, { as: "declined", reason: "authentication_abandoned" });
      return { state: "challenged", authenticationId, challenge: { url, expiresAt } };
    }
    case "declined":
      return undo(attempt, { as: "declined", reason: answer.reason });
  }
}

function afterCharge(attempt: PaymentAttempt, answer: Answered<ChargeOutcome>): Step {
  if (answer.outcome === "declined") return undo(attempt, { as: "declined", reason: answer.reason });
  return { state: attempt.captureFirst ? "authorising_loan" : "confirming_loan", chargeId: answer.chargeId };
}

/** Takes back what was done before: the captured money, or else the loan that was authorised. */
function undo(attempt: PaymentAttempt, ending: Ending): Step {
  if (attempt.chargeId !== null) return { state: "returning_charge", ending };
  if (attempt.loanId !== null) return { state: "cancelling_loan", ending };
  return { state: ending.as, ending };
}

/** Thrown when an attempt is to end without it being known how: a defect. */
class EndingUnknown extends Error {
  override readonly name = "EndingUnknown";
  readonly code = "ending_unknown";
}

function ended({ ending }: PaymentAttempt): Step {
  if (ending === null) throw new EndingUnknown("an attempt is being undone for no reason");
  return { state: ending.as, ending };
}

/** When to ask again, in the provider's time: by the list, but not later than the end of a challenge. */
export function nextInquiryAt(attempt: Pick<PaymentAttempt, "state" | "inquiries" | "challenge">, now: Date): Date {
  const byList = now.getTime() + inquiryDelayMs(attempt.inquiries);
  if (attempt.state !== "challenged" || attempt.challenge === null) return new Date(byList);
  // A challenge that has ended by now was asked about a moment ago: not at once again.
  const expiry = attempt.challenge.expiresAt.getTime();
  return new Date(expiry > now.getTime() ? Math.min(byList, expiry) : byList);
}
