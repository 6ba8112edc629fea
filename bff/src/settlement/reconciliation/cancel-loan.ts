import { formatClp } from "../../contract/vocabulary/clp.ts";
import { mayBeFound } from "../../orders/payments/charge-lost-in-restore.ts";
import { ResolutionRefused, type Resolving, type WeightyOutcome } from "../../platform/exceptions.ts";
import { idFor } from "../../platform/ids.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { insertLoanCancellation } from "./loan-cancellation-store.ts";
import { lockUnbooked } from "./reconciliation-store.ts";

/** Has the lender cancel a loan; its key is the id of the cancellation. */
export const CANCEL_LOAN_TIMER = "loan.cancel";

/**
 * Has a loan cancelled that the lender lists and the books do not have. Refused where a payment of the order may still
 * find it: that payment would be without a loan.
 */
export async function cancelLoan({ tx, clock, exception, at }: Resolving): Promise<WeightyOutcome> {
  const { providerId, subject } = exception;
  const reference = subject.replace(/^loan_not_booked:/, "");
  if (reference === subject)
    throw new ResolutionRefused("It is about no loan that the lender has and the books do not.");
  if (exception.facts.cancellation === "refused")
    throw new ResolutionRefused("The lender does not list the loan as it was: agree with it what becomes of the loan.");
  const loan = await lockUnbooked(tx, { providerId, kind: "loan_not_booked", reference });
  if (loan === null) throw new ResolutionRefused("There is no such loan any more.");
  const { orderId, amount, at: listedFrom } = loan;
  if (orderId !== null && (await mayBeFound(tx, { providerId, orderId }, reference)))
    throw new ResolutionRefused("The order's payment may still ask for this loan, and will then find it.");
  // The id follows from the loan, so that a database that was set back asks under the same key again.
  const id = idFor(`${providerId}:${reference}:loan-cancellation`);
  if (!(await insertLoanCancellation(tx, { id, providerId, reference, orderId, amount, listedFrom }, at)))
    throw new ResolutionRefused("It is being cancelled already.");
  await scheduleTimer(tx, { kind: CANCEL_LOAN_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return { outcome: `The loan of ${formatClp(amount)} is cancelled.`, amount };
}
