import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { cancelTimer } from "../platform/timers/timer-store.ts";
import { type Provider, providerNow } from "../providers/provider.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { moveOrder } from "./move-order.ts";
import type { OrderTrigger } from "./order.ts";
import { type OrderChanges, requireOrder } from "./order-store.ts";
import { hasEnded, isWaiting, nextStep, type PaymentAttempt, type Step } from "./payment-attempt.ts";
import { askParty } from "./payment-calls.ts";
import { effectsOf, type StepEffects } from "./payment-effects.ts";
import { type Lease, releaseAttempt, writeStep } from "./payment-store.ts";
import { recordTransfers } from "./transfer-store.ts";

/** Settles an attempt whose process died, or whose answer is unknown. Its key is the attempt's id. */
export const SETTLE_PAYMENT_TIMER = "payment.settle";

/** How long an attempt is believed to be worked on: longer than an inquiry and a call may take together. */
const ATTEMPT_LEASE_MS = 30_000;

export type RunPaymentDependencies = Pick<
  OrdersDependencies,
  | "db"
  | "clock"
  | "ids"
  | "related"
  | "withinPaid"
  | "cardProcessor"
  | "financingProvider"
  | "challengeReturnUrl"
  | "logger"
>;

export interface PaymentRun {
  readonly provider: Provider;
  readonly attempt: PaymentAttempt;
  /** The caller's, so that nobody else runs the attempt meanwhile. */
  readonly leaseId: string;
  /** Somebody may have made the call of the attempt's state before. */
  readonly asked: boolean;
  /** Is this one of the inquiries that come at growing distances? */
  readonly isInquiry: boolean;
  /** Ends the timer of the attempt in the transaction in which the attempt ends. */
  readonly endTimer: (tx: Transaction) => Promise<void>;
}

/** Ends the timer from a request, which does not hold it. */
export function cancelSettling(attempt: Pick<PaymentAttempt, "id">): PaymentRun["endTimer"] {
  return async (tx) => void (await cancelTimer(tx, { kind: SETTLE_PAYMENT_TIMER, key: attempt.id }));
}

export function leaseFrom(realNow: Date, id: string): Lease {
  return { id, until: new Date(realNow.getTime() + ATTEMPT_LEASE_MS) };
}

/**
 * Takes an attempt as far as it goes now: to its end, to where it waits for the patient or a review, or to an answer that
 * nobody knows. Each step is written before the next call. Whoever has lost the lease stops; what it did stays done, since
 * calls are idempotent, and is found by inquiry.
 */
export async function runPayment(dependencies: RunPaymentDependencies, run: PaymentRun): Promise<PaymentAttempt> {
  const { db, clock } = dependencies;
  let { attempt, asked } = run;
  while (!hasEnded(attempt.state)) {
    const at = providerNow(run.provider, clock.now());
    const answer = await askParty(dependencies, attempt, { at, asked });
    const answeredAt = providerNow(run.provider, clock.now());
    const step = answer === null ? null : nextStep(attempt, answer, answeredAt);
    if (step === null || (step.state === attempt.state && isWaiting(step.state))) {
      const lease = leaseFrom(clock.now(), run.leaseId);
      await releaseAttempt(db, attempt, lease, { isInquiry: run.isInquiry, at: answeredAt });
      return run.isInquiry ? { ...attempt, inquiries: attempt.inquiries + 1 } : attempt;
    }
    if (!(await writeProgress(dependencies, run, attempt, step, answeredAt))) return attempt;
    attempt = { ...attempt, ...step, inquiries: 0, endedAt: hasEnded(step.state) ? answeredAt : null };
    if (isWaiting(attempt.state)) return attempt;
    asked = false;
  }
  return attempt;
}

/** Writes a step with all that it means, in one transaction. False when the lease is somebody else's: nothing is written. */
async function writeProgress(
  dependencies: RunPaymentDependencies,
  run: PaymentRun,
  attempt: PaymentAttempt,
  step: Step,
  at: Date,
): Promise<boolean> {
  const { db, clock, ids } = dependencies;
  const effects = effectsOf(attempt, step, at);
  const written = { step, payment: effects.payment, lease: leaseFrom(clock.now(), run.leaseId), at };
  // Most steps are one statement and need no transaction around it.
  if (effects.trigger === null && effects.transfers.length === 0) return writeStep(db, attempt, written);
  return inTransaction(db, async (tx) => {
    if (!(await writeStep(tx, attempt, written))) return false;
    await recordTransfers(tx, ids, effects.transfers);
    if (effects.trigger !== null)
      await moveAlong(tx, dependencies, attempt, step, { ...effects, trigger: effects.trigger }, at);
    if (hasEnded(step.state)) await run.endTimer(tx);
    return true;
  }).then((isWritten) => {
    if (isWritten && step.attention !== undefined)
      dependencies.logger.error("payment.needs_attention", { order_id: attempt.orderId, reason: step.attention });
    return isWritten;
  });
}

async function moveAlong(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  attempt: PaymentAttempt,
  step: Step,
  { trigger }: StepEffects & { readonly trigger: OrderTrigger },
  at: Date,
): Promise<void> {
  const { providerId, orderId } = attempt;
  const order = await requireOrder(tx, { providerId, id: orderId });
  const paid: OrderChanges = { paid_at: at, loan_id: attempt.loanId };
  await moveOrder(tx, dependencies, order, {
    trigger,
    at,
    ...(trigger === "complete_payment" && { changes: paid }),
    ...(step.ending?.as === "failed" && { failure: failureOf(step.ending.code) }),
  });
  if (trigger === "complete_payment")
    await dependencies.withinPaid(tx, { providerId, orderId, orderHash: orderId, at });
}

/** What partners are told. The reasons are the patient's. */
function failureOf(code: "credit_declined" | "confirmation_declined"): { code: string; message: string } {
  const messages = {
    credit_declined: "The financing provider refused the credit.",
    confirmation_declined: "The financing provider refused to confirm the loan; the first instalment was given back.",
  };
  return { code, message: messages[code] };
}
