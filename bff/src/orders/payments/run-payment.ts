import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { leaseFrom } from "../../platform/lease.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { moveOrder } from "../orders/move-order.ts";
import type { OrderTrigger } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { OrderChanges } from "../orders/order-store.ts";
import { hasEnded, isWaiting, nextStep, orderStateOf, type PaymentAttempt, type Step } from "./payment-attempt.ts";
import { askGateway } from "./payment-calls.ts";
import { effectsOf, type StepEffects } from "./payment-effects.ts";
import { releaseAttempt, writeStep } from "./payment-store.ts";

/** Settles an attempt whose process died, or whose answer is unknown. Its key is the attempt's id. */
export const SETTLE_PAYMENT_TIMER = "payment.settle";

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
  /**
   * Ends the timer of the attempt, which the caller holds, in the transaction in which the attempt ends. Null for a request,
   * which does not hold it: then it is taken back.
   */
  readonly endTimer: ((tx: Transaction) => Promise<void>) | null;
}

/** An attempt as far as it went, and the order where the last step changed it. */
export interface RanPayment {
  readonly attempt: PaymentAttempt;
  readonly order: OrderRecord | null;
}

/**
 * Takes an attempt as far as it goes now: to its end, to where it waits for the patient or a review, or to an answer that
 * nobody knows. Each step is written before the next call. Whoever has lost the lease stops; what it did stays done, since
 * calls are idempotent, and is found by inquiry.
 */
export async function runPayment(dependencies: RunPaymentDependencies, run: PaymentRun): Promise<RanPayment> {
  const { db, clock } = dependencies;
  let { attempt, asked } = run;
  let order: OrderRecord | null = null;
  while (!hasEnded(attempt.state)) {
    const at = providerNow(run.provider, clock.now());
    const answer = await askGateway(dependencies, attempt, { at, asked });
    const answeredAt = providerNow(run.provider, clock.now());
    const step = answer === null ? null : nextStep(attempt, answer, answeredAt);
    if (step === null || (step.state === attempt.state && isWaiting(step.state))) {
      const lease = leaseFrom(clock.now(), run.leaseId);
      await releaseAttempt(db, attempt, lease, { isInquiry: run.isInquiry, at: answeredAt });
      return { attempt: run.isInquiry ? { ...attempt, inquiries: attempt.inquiries + 1 } : attempt, order };
    }
    const effects = effectsOf(attempt, step, answeredAt);
    const written = await writeProgress(dependencies, run, { attempt, step, effects, at: answeredAt });
    if (written === null) return { attempt, order: null };
    order = written.order ?? order;
    attempt = { ...attempt, ...step, inquiries: 0, endedAt: hasEnded(step.state) ? answeredAt : null };
    if (isWaiting(attempt.state)) return { attempt, order };
    asked = false;
  }
  return { attempt, order };
}

interface Progress {
  readonly attempt: PaymentAttempt;
  readonly step: Step;
  readonly effects: StepEffects;
  readonly at: Date;
}

/**
 * Writes a step with all that it means, in one transaction; gives back the order where it was changed. Null when the lease
 * is somebody else's: nothing is written.
 */
async function writeProgress(
  dependencies: RunPaymentDependencies,
  run: PaymentRun,
  progress: Progress,
): Promise<{ readonly order: OrderRecord | null } | null> {
  const { db, clock, ids } = dependencies;
  const { attempt, step, at } = progress;
  const { payment, transfers, trigger } = progress.effects;
  const lease = leaseFrom(clock.now(), run.leaseId);
  const isOver = hasEnded(step.state);
  const endedTimer = isOver && run.endTimer === null ? { kind: SETTLE_PAYMENT_TIMER, key: attempt.id } : null;
  const written = { step, payment, transfers, ids, lease, at, endedTimer };
  // Most steps are one statement and need no transaction around it.
  if (trigger === null) return (await writeStep(db, attempt, written)) ? { order: null } : null;
  const order = await inTransaction(db, async (tx) => {
    if (!(await writeStep(tx, attempt, written))) return null;
    const moved = await moveAlong(tx, dependencies, attempt, step, trigger, at);
    if (isOver) await run.endTimer?.(tx);
    return moved;
  });
  if (order !== null && step.attention !== undefined)
    dependencies.logger.error("payment.needs_attention", { order_id: attempt.orderId, reason: step.attention });
  return order === null ? null : { order };
}

async function moveAlong(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  attempt: PaymentAttempt,
  step: Step,
  trigger: OrderTrigger,
  at: Date,
): Promise<OrderRecord> {
  const { providerId, orderId } = attempt;
  const order = { providerId, id: orderId, state: orderStateOf(attempt) };
  const paid: OrderChanges = { paid_at: at, loan_id: attempt.loanId };
  const moved = await moveOrder(tx, dependencies, order, {
    trigger,
    at,
    ...(trigger === "complete_payment" && { changes: paid }),
    ...(step.ending?.as === "failed" && { failure: failureOf(step.ending.code) }),
  });
  if (trigger === "complete_payment")
    await dependencies.withinPaid(tx, { providerId, orderId, orderHash: orderId, at });
  return moved;
}

/** What partners are told. The reasons are the patient's. */
function failureOf(code: "credit_declined" | "confirmation_declined"): { code: string; message: string } {
  const messages = {
    credit_declined: "The financing provider refused the credit.",
    confirmation_declined: "The financing provider refused to confirm the loan; the first instalment was given back.",
  };
  return { code, message: messages[code] };
}
