import { isRefusedAs, type Refusal } from "../../api/problem.ts";
import type { PaymentOutcome, PaymentRun } from "../payment-run.ts";
import { type StepContext, showPaymentProblem } from "../step-context.ts";

/** The options shared by every run of a payment in this visit. */
export function runOptions({ visit, wait }: StepContext): Pick<PaymentRun, "onProgress" | "readOrder" | "wait"> {
  return {
    onProgress: (doing) => visit.send({ type: "payment_progressed", doing }),
    readOrder: visit.fetchOrder,
    wait,
  };
}

/** Sends the patient where a payment's outcome leads. */
export function takeOutcome(context: StepContext, result: PaymentOutcome): void {
  const { visit } = context;
  context.inquiry = { isUnderWay: result.outcome === "challenge" };
  // Also after an inquiry with another key: the key of an ended attempt would only return that attempt's answer for the
  // next card.
  if (!context.inquiry.isUnderWay) context.payment.renew();
  switch (result.outcome) {
    case "challenge":
      visit.send({ type: "challenge_asked", challenge: result.challenge });
      break;
    case "paid":
      visit.keepOrder(result.order);
      visit.send({ type: "finished", kind: "payment" });
      break;
    case "refused":
      takeRefusal(context, result.problem);
      break;
  }
}

/** An order with another mailbox than the patient's record is recovered like a sign-up, and can then be paid. */
function takeRefusal(context: StepContext, problem: Refusal): void {
  const { visit } = context;
  const rut = visit.session().order?.customer.rut;
  if (rut !== undefined && isRefusedAs(problem, "RUT_OTHER_EMAIL"))
    visit.send({ type: "collided", rut, refusal: problem });
  else showPaymentProblem(context, problem);
}
