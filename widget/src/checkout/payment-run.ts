import type { PatientOrder, PayOrderResponse } from "bff/contract/orders";
import { type Answer, isDefinite, type Refusal } from "../api/problem.ts";
import type { AttemptKey } from "./attempt-key.ts";
import { type Challenge, isSettled } from "./checkout-state.ts";

/** The outcome of a payment. There is no "unknown": the run continues until the outcome is known. */
export type PaymentOutcome =
  | { readonly outcome: "paid"; readonly order: PatientOrder }
  | { readonly outcome: "challenge"; readonly challenge: Challenge }
  | { readonly outcome: "refused"; readonly problem: Refusal };

/**
 * Progress of a payment that has not ended. No answer yet (`checking`), none for a long time (`stuck`), or it waits for
 * the card's issuer (`processing`) or the lender (`reviewing`).
 */
export type PaymentProgress = "checking" | "stuck" | "processing" | "reviewing";

export interface PaymentRun {
  readonly key: AttemptKey;
  /** Inquires, without consents, about an attempt that the service reported and that started under another key. */
  readonly isUnderWay?: boolean;
  /** Requests the payment under the key; a repeat under the same key never charges again. */
  readonly pay: (key: string) => Promise<Answer<PayOrderResponse>>;
  /** Reads the order, whose state overrides any answer, or missing answer, about the payment. */
  readonly readOrder: () => Promise<Answer<PatientOrder>>;
  readonly onProgress: (doing: PaymentProgress) => void;
  /** Resolves after `ms`, or earlier when the network is back. Never rejects. */
  readonly wait: (ms: number) => Promise<void>;
}

/** The number of requests in the first minute: two early ones, then one every three seconds. */
const QUICK_QUESTIONS = 21;
/** After this many requests without an answer, at least 24 seconds, the screen says that it may take long. */
export const QUESTIONS_UNTIL_STUCK = 9;

type Reading = PaymentOutcome | "no_answer" | "processing" | "reviewing";

/** The pause after this many requests, in milliseconds. The last pause repeats while the screen is open. */
export function pauseAfter(question: number): number {
  return question < QUICK_QUESTIONS ? Math.min(question + 1, 3) * 1_000 : 15_000;
}

/**
 * An inquiry without consents, under another key than the attempt's, gets `consents_missing` if the attempt was
 * declined. In that case it means `card_declined`.
 */
export function endOfAttempt(problem: Refusal): Refusal {
  return problem.code === "consents_missing" ? { ...problem, code: "card_declined" } : problem;
}

function read(answer: Answer<PayOrderResponse>, isUnderWay: boolean): Reading {
  if (!answer.ok) {
    if (!isDefinite(answer.problem)) return "no_answer";
    return { outcome: "refused", problem: isUnderWay ? endOfAttempt(answer.problem) : answer.problem };
  }
  const { order, payment } = answer.value;
  if (payment.status === "succeeded" || isSettled(order.status)) return { outcome: "paid", order };
  if (payment.action !== undefined) return { outcome: "challenge", challenge: payment.action };
  return payment.waits_for === "lender" ? "reviewing" : "processing";
}

/** The order, if it is paid although no answer said so: the first request may have died after the charge. */
async function settledOrder(run: PaymentRun): Promise<PatientOrder | null> {
  const answer = await run.readOrder();
  return answer.ok && isSettled(answer.value.status) ? answer.value : null;
}

/**
 * Pays, and repeats the request under the same key until the service has decided. A lost answer, a time-out or a server
 * fault does not imply an outcome. Renews the key after every decision.
 */
export async function runPayment(run: PaymentRun): Promise<PaymentOutcome> {
  for (let question = 0; ; question += 1) {
    const reading = read(await run.pay(run.key.current()), run.isUnderWay === true);
    if (typeof reading !== "string") {
      // A challenge is not an end. The same request, repeated after it, is about the same attempt.
      if (reading.outcome !== "challenge") run.key.renew();
      return reading;
    }
    if (reading !== "no_answer") run.onProgress(reading);
    else run.onProgress(question >= QUESTIONS_UNTIL_STUCK ? "stuck" : "checking");
    const order = question === 0 || reading !== "no_answer" ? null : await settledOrder(run);
    if (order !== null) {
      run.key.renew();
      return { outcome: "paid", order };
    }
    await run.wait(pauseAfter(question));
  }
}
