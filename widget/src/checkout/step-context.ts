import type { QueryClient } from "@tanstack/react-query";
import type { VerifyRecoveryRequest } from "bff/contract/onboarding";
import type { PayOrderRequest } from "bff/contract/orders";
import type { CheckoutApi } from "../api/checkout-api.ts";
import type { Problem } from "../api/problem.ts";
import { createQueryClient } from "../api/query-client.ts";
import type { Seal } from "../api/sealed-or-null.ts";
import { type Attempt, createAttempt, createKeyOfBody, type KeyOfBody } from "./attempt-key.ts";
import type { PaymentRun } from "./payment-run.ts";
import type { SessionClock } from "./session-clock.ts";
import type { Visit } from "./visit.ts";

/** The external dependencies of the steps. Tests pass their own. */
export interface StepParts {
  readonly api: CheckoutApi;
  readonly clock: SessionClock;
  readonly wait: PaymentRun["wait"];
  readonly newKey: () => string;
  readonly seal: Seal;
}

/** The newest inquiry about the payment. Answers to an older one are dropped. */
export interface Inquiry {
  /** Whether an attempt is known to be in progress: the last answer led to the bank's page. */
  readonly isUnderWay: boolean;
}

/** The shared state and dependencies of the steps of one visit. */
export interface StepContext extends StepParts {
  readonly visit: Visit;
  readonly queries: QueryClient;
  readonly payment: Attempt<PayOrderRequest>;
  readonly identityKey: KeyOfBody;
  /** The data of the last sign-up, with the password sealed. A recovery's code registers the patient with it. */
  signUp: Pick<VerifyRecoveryRequest, "insurer" | "sealed_insurer_access" | "consents">;
  /** The RUT of a sign-up whose answer never arrived, so it may have succeeded. */
  unansweredRut: string | null;
  inquiry: Inquiry;
}

export function createStepContext(parts: StepParts, visit: Visit): StepContext {
  return {
    ...parts,
    visit,
    queries: createQueryClient(),
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

/** Like `showProblem`. A declined card is then the order's own. */
export function showPaymentProblem({ visit }: StepContext, problem: Problem): void {
  visit.send({ type: "failed", problem, ofPayment: true });
}
