import { captureTransfer, loanTransfer, returnTransfer, type Transfer } from "../ledger/transfers.ts";
import type { OrderTrigger } from "../order.ts";
import { hasEnded, type PaymentAttempt, type Step } from "../payment-attempt.ts";

/** The outcome of the attempt's payment as the partner sees it. */
export type PaymentChange = "captured" | "undone" | "declined" | "failed";

/** What a step changes outside of the attempt, in the same transaction. */
export interface StepEffects {
  readonly payment: PaymentChange | null;
  readonly trigger: OrderTrigger | null;
  readonly transfers: readonly Transfer[];
}

/** `at` in the provider's time. */
export function effectsOf(attempt: PaymentAttempt, step: Step, at: Date): StepEffects {
  const isCaptured = attempt.chargeId === null && step.chargeId !== undefined;
  const isReturned = attempt.state === "returning_charge" && hasEnded(step.state) && step.attention === undefined;
  return {
    payment: isCaptured ? "captured" : isReturned ? "undone" : endOfPayment(attempt, step),
    trigger: isCaptured ? (attempt.captureFirst ? "capture_first" : null) : endOfOrder(step),
    transfers: transfersOf(attempt, step, { isCaptured, isReturned }, at),
  };
}

function endOfPayment(attempt: PaymentAttempt, { state }: Step): PaymentChange | null {
  // A captured charge that could not be returned keeps the status `captured`.
  return attempt.chargeId === null && (state === "declined" || state === "failed") ? state : null;
}

function endOfOrder({ state }: Step): OrderTrigger | null {
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
  const { providerId, orderId, id: sourceId, first, deferred } = attempt;
  const movement = { providerId, orderId, sourceId, at };
  if (isCaptured) return [captureTransfer({ ...movement, amount: first })];
  if (isReturned) return [returnTransfer({ ...movement, amount: first })];
  return step.state === "succeeded" ? [loanTransfer({ ...movement, amount: deferred })] : [];
}
