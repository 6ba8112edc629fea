import { isDefinite, type Refusal } from "../../api/problem.ts";
import { createAttemptKey } from "../attempt-key.ts";
import { endOfAttempt, pauseAfter, QUESTIONS_UNTIL_STUCK, runPayment } from "../payment-run.ts";
import { credentialsOf } from "../server-state.ts";
import { type Inquiry, type StepContext, showPaymentProblem, showProblem } from "../step-context.ts";
import { runOptions, takeOutcome } from "./payment-outcome.ts";

/**
 * Inquires about a payment that no screen waits for, because the visit was `opened` or the bank's page was `left`. It
 * sends no consents, so the service can only report an attempt, never start one.
 *
 * It is not a step of the patient. It runs next to their steps, and its answer is dropped once they act.
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
    if (visit.isStepPending() || own !== context.inquiry) return;
    if (answer.ok && (since === "opened" || answer.value.payment.action === undefined)) break;
    if (!answer.ok && isDefinite(answer.problem)) {
      // At the bank's page an attempt was under way.
      return takeInquiry(context, own.isUnderWay ? endOfAttempt(answer.problem) : answer.problem);
    }
    // Without an offer nothing else is on the screen; at a bank's page that was left the payment may still go through.
    if (since === "opened" && quote !== null) return;
    if (quote === null && asked === QUESTIONS_UNTIL_STUCK) showStuck(context);
    await context.wait(pauseAfter(asked));
  }
  visit.send({ type: "payment_started" });
  takeOutcome(context, await runPayment({ ...runOptions(context), isUnderWay: true, key, pay: ask }));
}

/**
 * That nothing is under way is the usual answer, and changes nothing; a payment that has ended is shown with its
 * reasons.
 */
function takeInquiry(context: StepContext, problem: Refusal): void {
  const { code } = problem;
  const isPayable = context.visit.session().quote !== null;
  if (code === "credit_declined" || code === "order_not_payable") showProblem(context, problem);
  // An order that is neither payable nor paid, and of which nothing more is known.
  else if (!isPayable) showProblem(context, { ...problem, code: "order_not_payable" });
  else if (code === "card_declined") {
    // The attempt of this key has ended: under it the next card would only get its answer again.
    context.payment.renew();
    context.inquiry = { isUnderWay: false };
    void context.visit.fetchOrder();
    showPaymentProblem(context, problem);
  }
}

/** Nothing else is on the screen, and the patient should not sit before it for long. */
function showStuck({ visit }: StepContext): void {
  visit.send({ type: "payment_started" });
  visit.send({ type: "payment_progressed", doing: "stuck" });
}
