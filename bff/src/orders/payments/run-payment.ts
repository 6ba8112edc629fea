import { type AttemptCalls, runCall } from "../../gateways/run-call.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { leaseFrom } from "../../platform/lease.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { moveOrder } from "../orders/move-order.ts";
import type { OrderTrigger } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { OrderChanges } from "../orders/order-store.ts";
import {
  type GatewayAnswer,
  hasEnded,
  isWaiting,
  nextStep,
  orderStateOf,
  type PaymentAttempt,
  type Step,
} from "./payment-attempt.ts";
import { callOf } from "./payment-calls.ts";
import { effectsOf, type StepEffects } from "./payment-effects.ts";
import { releaseAttempt, type WrittenStep, writeStep } from "./payment-store.ts";

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
  readonly mayHaveArrived: boolean;
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
 * nobody knows. A step is written only by who holds the lease.
 */
export async function runPayment(dependencies: RunPaymentDependencies, run: PaymentRun): Promise<RanPayment> {
  const { db, logger } = dependencies;
  const running: RunningPayment = { attempt: run.attempt, order: null, isCalling: !hasEnded(run.attempt.state) };
  const { mayHaveArrived } = run;
  const ran = await runCall(db, callsOf(dependencies, run), { attempt: running, mayHaveArrived });
  const { attempt, order, attention } = ran.attempt;
  if (attention !== undefined)
    logger.error("payment.needs_attention", { order_id: attempt.orderId, reason: attention });
  switch (ran.outcome) {
    case "ran":
      return { attempt, order };
    case "unanswered":
      return { attempt: { ...attempt, inquiries: ran.waited }, order };
    case "lost":
      return { attempt, order: null };
  }
}

/** An attempt as far as it went in this run. */
interface RunningPayment extends RanPayment {
  /** Is there a call to make or to ask about? Not where it has ended, nor where it has just begun to wait for somebody. */
  readonly isCalling: boolean;
  /** What a person must look at. */
  readonly attention?: Step["attention"];
}

function callsOf(dependencies: RunPaymentDependencies, run: PaymentRun): AttemptCalls<RunningPayment, GatewayAnswer> {
  const { db, clock } = dependencies;
  const now = () => providerNow(run.provider, clock.now());
  return {
    nextCall: ({ attempt, isCalling }) => (isCalling ? callOf(dependencies, attempt, now()) : null),
    isNoProgress: ({ attempt }, answer) => {
      const { state } = nextStep(attempt, answer, now());
      return state === attempt.state && isWaiting(state);
    },
    settleInOneStatement: (database, running, answer) => {
      const progress = progressOf(running.attempt, answer, now());
      if (progress.effects.trigger !== null) return null;
      const written = writeStep(
        database,
        running.attempt,
        stepToWrite(dependencies, run, progress, running.attempt.id),
      );
      return written.then((isMine) => ({ attempt: isMine ? after(running, progress) : null }));
    },
    settle: (tx, running, answer) =>
      writeProgress(tx, dependencies, run, running, progressOf(running.attempt, answer, now())),
    letGo: async ({ attempt }) => {
      const { isInquiry, leaseId } = run;
      await releaseAttempt(db, attempt, leaseFrom(clock.now(), leaseId), { isInquiry, at: now() });
      return attempt.inquiries + (isInquiry ? 1 : 0);
    },
  };
}

interface Progress {
  readonly step: Step;
  readonly effects: StepEffects;
  readonly at: Date;
}

function progressOf(attempt: PaymentAttempt, answer: GatewayAnswer, at: Date): Progress {
  const step = nextStep(attempt, answer, at);
  return { step, effects: effectsOf(attempt, step, at), at };
}

function after({ attempt, order }: RunningPayment, { step, at }: Progress): RunningPayment {
  const { attention, ...changes } = step;
  const isOver = hasEnded(step.state);
  return {
    attempt: { ...attempt, ...changes, inquiries: 0, endedAt: isOver ? at : null },
    order,
    isCalling: !isOver && !isWaiting(step.state),
    attention,
  };
}

function stepToWrite(
  { clock, ids }: RunPaymentDependencies,
  { leaseId, endTimer }: PaymentRun,
  { step, effects: { payment, transfers }, at }: Progress,
  attemptId: string,
): WrittenStep {
  const endedTimer = hasEnded(step.state) && endTimer === null ? { kind: SETTLE_PAYMENT_TIMER, key: attemptId } : null;
  return { step, payment, transfers, ids, lease: leaseFrom(clock.now(), leaseId), at, endedTimer };
}

/** Writes a step with all that it means for the order; null, with nothing written, where the lease is somebody else's. */
async function writeProgress(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  run: PaymentRun,
  running: RunningPayment,
  progress: Progress,
): Promise<RunningPayment | null> {
  const { attempt } = running;
  const { step, effects, at } = progress;
  if (!(await writeStep(tx, attempt, stepToWrite(dependencies, run, progress, attempt.id)))) return null;
  const { trigger } = effects;
  const order = trigger === null ? running.order : await moveAlong(tx, dependencies, attempt, step, trigger, at);
  if (hasEnded(step.state)) await run.endTimer?.(tx);
  return { ...after(running, progress), order };
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
  const order = { providerId, orderId, state: orderStateOf(attempt) };
  const paid: OrderChanges = { paid_at: at, loan_id: attempt.loanId };
  const moved = await moveOrder(tx, dependencies, order, {
    trigger,
    at,
    ...(trigger === "complete_payment" && { changes: paid }),
    ...(step.ending?.as === "failed" && { failure: failureOf(step.ending.code) }),
  });
  if (trigger === "complete_payment") await dependencies.withinPaid(tx, { providerId, orderId, at });
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
