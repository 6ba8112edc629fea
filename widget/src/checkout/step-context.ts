import type { VerifyRecoveryRequest } from "bff/contract/onboarding";
import type { PayOrderRequest } from "bff/contract/orders";
import type { CheckoutApi } from "../api/checkout-api.ts";
import type { Problem } from "../api/problem.ts";
import type { Seal } from "../api/sealed-or-null.ts";
import { type Attempt, createAttempt, createKeyOfBody, type KeyOfBody } from "./attempt-key.ts";
import type { PaymentRun } from "./payment-run.ts";
import type { SessionClock } from "./session-clock.ts";
import type { Visit } from "./visit.ts";

/** What the steps need from outside; tests give their own. */
export interface StepParts {
  readonly api: CheckoutApi;
  readonly clock: SessionClock;
  readonly wait: PaymentRun["wait"];
  readonly newKey: () => string;
  readonly seal: Seal;
}

/** The newest inquiry about the payment; the answers to an older one are dropped. */
export interface Inquiry {
  /** An attempt is known to be under way: the bank's page was the last answer. */
  readonly isUnderWay: boolean;
}

/** What the steps of one visit work with, and remember from one screen to the next. */
export interface StepContext extends StepParts {
  readonly visit: Visit;
  readonly payment: Attempt<PayOrderRequest>;
  readonly identityKey: KeyOfBody;
  /** What the last sign-up gave, the password sealed: a recovery's code registers the patient with it. */
  signUp: Pick<VerifyRecoveryRequest, "insurer" | "sealed_insurer_access" | "consents">;
  /** The RUT of a sign-up whose answer did not come: it may have been done. */
  unansweredRut: string | null;
  inquiry: Inquiry;
}

export function createStepContext(parts: StepParts, visit: Visit): StepContext {
  return {
    ...parts,
    visit,
    payment: createAttempt(parts.newKey),
    identityKey: createKeyOfBody(parts.newKey),
    signUp: {},
    unansweredRut: null,
    inquiry: { isUnderWay: false },
  };
}

export function showProblem({ visit }: StepContext, problem: Problem): void {
  visit.send({ type: "failed", problem });
}

/** As `showProblem`; a declined card is then the order's own. */
export function showPaymentProblem({ visit }: StepContext, problem: Problem): void {
  visit.send({ type: "failed", problem, ofPayment: true });
}
