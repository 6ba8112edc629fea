import { isDefinite, type Refusal } from "../../api/problem.ts";
import { createAttemptKey } from "../attempt-key.ts";
import { endOfAttempt, pauseAfter, QUESTIONS_UNTIL_STUCK, runPayment } from "../payment-run.ts";
import { credentialsOf } from "../server-state.ts";
import { type Inquiry, type StepContext, showPaymentProblem, showProblem } from "../step-context.ts";
import { isStepPending } from "../use-step.ts";
import { runOptions, takeOutcome } from "./payment-outcome.ts";

/**
 * Inquires about a payment that no screen waits for, because the visit was `opened` or the bank's page was `left`. It
 * sends no consents, so the service can only report an attempt, never start one.
 *
 * It is not a step of the patient, but runs in parallel. Its answer is dropped once the patient acts.
 */
export async function inquire(context: StepContext, since: "opened" | "left"): Promise<void> {
  const { visit, api } = context;
  const { order_token: orderToken, quote } = visit.session();
  if (orderToken === null) return;
  const own: Inquiry = { isUnderWay: since === "left" };
  context.inquiry = own;
  const key = createAttemptKey(context.newKey);
  const ask = (current: string) => api.pay(credentialsOf(visit.session()), orderToken, { consents: [] }, current);
  for (let asked = 0; ; asked += 1) {
    const answer = await ask(key.current());
    if (isStepPending(context.queries) || own !== context.inquiry) return;
    if (answer.ok && (since === "opened" || answer.value.payment.action === undefined)) break;
    if (!answer.ok && isDefinite(answer.problem)) {
      // When the bank's page was left, an attempt was in progress.
      return takeInquiry(context, own.isUnderWay ? endOfAttempt(answer.problem) : answer.problem);
    }
    // Without an offer nothing else is on the screen. At an abandoned bank's page, the payment may still succeed.
    if (since === "opened" && quote !== null) return;
    if (quote === null && asked === QUESTIONS_UNTIL_STUCK) showStuck(context);
    await context.wait(pauseAfter(asked));
  }
  visit.send({ type: "payment_started" });
  takeOutcome(context, await runPayment({ ...runOptions(context), isUnderWay: true, key, pay: ask }));
}

/** Usually nothing is in progress, which changes nothing. A finished payment is shown with its reasons. */
function takeInquiry(context: StepContext, problem: Refusal): void {
  const { code } = problem;
  const isPayable = context.visit.session().quote !== null;
  if (code === "credit_declined" || code === "order_not_payable") showProblem(context, problem);
  // An order that is neither payable nor paid, without any further information.
  else if (!isPayable) showProblem(context, { ...problem, code: "order_not_payable" });
  else if (code === "card_declined") {
    // The attempt with this key has ended. Under the same key, the next card would only get its answer again.
    context.payment.renew();
    context.inquiry = { isUnderWay: false };
    void context.visit.fetchOrder();
    showPaymentProblem(context, problem);
  }
}

/** The screen is otherwise empty, so the patient should not wait for long. */
function showStuck({ visit }: StepContext): void {
  visit.send({ type: "payment_started" });
  visit.send({ type: "payment_progressed", doing: "stuck" });
}
