import type { RefusedInstalment } from "../../contract/errors.ts";
import { inquiryAt } from "../../gateways/gateway-call.ts";
import { type AttemptCalls, runCall } from "../../gateways/run-call.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { leaseFrom } from "../../platform/lease.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { askToRemove } from "../card-removals.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { moveOrder } from "../move-order.ts";
import type { OrderTrigger } from "../order.ts";
import type { OrderRecord } from "../order-record.ts";
import type { OrderChanges } from "../order-store.ts";
import {
  type GatewayAnswer,
  hasEnded,
  isWaiting,
  nextStep,
  orderStateOf,
  type PaymentAttempt,
  type Step,
} from "../payment-attempt.ts";
import { takeRemovedCardOff } from "../saved-cards/saved-card-store.ts";
import { callOf } from "./payment-calls.ts";
import { effectsOf, type StepEffects } from "./payment-effects.ts";
import { releaseAttempt, type TimerChange, type WrittenStep, writeStep } from "./payment-store.ts";

/**
 * Kind of the timer that settles an attempt whose process died or whose outcome is unknown. Its key is the attempt's
 * id.
 */
export const SETTLE_PAYMENT_TIMER = "payment.settle";

export type RunPaymentDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "related" | "withinPaid" | "cardProcessor" | "financingProvider" | "returnUrl" | "logger"
>;

export interface PaymentRun {
  readonly provider: Provider;
  readonly attempt: PaymentAttempt;
  /** The caller's lease on the attempt. */
  readonly leaseId: string;
  /** True if the call of the attempt's state may have been made before. */
  readonly mayHaveArrived: boolean;
  /** True if this run is one of the inquiries with growing delays. */
  readonly isInquiry: boolean;
  /**
   * Ends the attempt's timer, held by the caller, in the transaction in which the attempt ends. Null for a request,
   * which does not hold the timer; then the timer is cancelled.
   */
  readonly endTimer: ((tx: Transaction) => Promise<void>) | null;
}

/** The attempt after this run, and the order if the last step changed it. */
export interface RanPayment {
  readonly attempt: PaymentAttempt;
  readonly order: OrderRecord | null;
}

/**
 * Runs an attempt until it ends, waits for the patient or a review, or gets an answer that leaves its outcome unknown.
 * Only the holder of the lease writes steps.
 */
export async function runPayment(dependencies: RunPaymentDependencies, run: PaymentRun): Promise<RanPayment> {
  const { db, logger } = dependencies;
  const running: RunningPayment = { attempt: run.attempt, order: null, isCalling: true };
  const { mayHaveArrived } = run;
  const ran = await runCall(db, callsOf(dependencies, run), { attempt: running, mayHaveArrived });
  const { attempt, order, attention, refusal } = ran.attempt;
  if (attention !== undefined)
    logger.error("payment.needs_attention", {
      order_id: attempt.orderId,
      reason: attention,
      refused_because: refusal,
    });
  switch (ran.outcome) {
    case "ran":
      return { attempt, order };
    case "taken":
    case "unanswered":
      return { attempt: { ...attempt, inquiries: ran.waited }, order };
    case "lost":
      return { attempt, order: null };
  }
}

interface RunningPayment extends RanPayment {
  /** True if there is a call to make or ask about; false if the attempt has ended or has just begun to wait. */
  readonly isCalling: boolean;
  /** What an operator must handle, and why. */
  readonly attention?: Step["attention"];
  readonly refusal?: Step["refusal"];
}

function callsOf(dependencies: RunPaymentDependencies, run: PaymentRun): AttemptCalls<RunningPayment, GatewayAnswer> {
  const { db, clock } = dependencies;
  const now = () => providerNow(run.provider, clock.now());
  return {
    nextCall: ({ attempt, isCalling }) => (isCalling ? callOf(dependencies, attempt, now()) : null),
    accepts: {
      isTaken: ({ to, answer }) => to === "return" && answer.outcome === "pending",
      wasTaken: ({ attempt }) => attempt.isReturnTaken,
    },
    isNoProgress: ({ attempt }, answer) => {
      const { state } = nextStep(attempt, answer, now());
      return state === attempt.state && isWaiting(state);
    },
    settleInOneStatement: (database, running, answer) => {
      const progress = progressOf(running.attempt, answer, now());
      if (progress.effects.trigger !== null) return null;
      const written = writeStep(database, running.attempt, stepToWrite(dependencies, run, progress, running.attempt));
      return written.then((isMine) => ({ attempt: isMine ? after(running, progress) : null }));
    },
    settle: (tx, running, answer) =>
      writeProgress(tx, dependencies, run, running, progressOf(running.attempt, answer, now())),
    release: async ({ attempt }, { wasInquired }) => {
      const isInquiry = run.isInquiry && wasInquired;
      await releaseAttempt(db, attempt, leaseFrom(clock.now(), run.leaseId), { isInquiry, at: now() });
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

function after({ attempt, order }: RunningPayment, { step }: Progress): RunningPayment {
  const { attention, refusal, acceptedReturn, ...changes } = step;
  const isReturnTaken = attempt.isReturnTaken || acceptedReturn !== undefined;
  return {
    attempt: { ...attempt, ...changes, isReturnTaken, inquiries: 0 },
    order,
    isCalling: !hasEnded(step.state) && !isWaiting(step.state),
    attention,
    refusal,
  };
}

function stepToWrite(
  { clock, ids }: RunPaymentDependencies,
  run: PaymentRun,
  { step, effects: { payment, transfers }, at }: Progress,
  attempt: PaymentAttempt,
): WrittenStep {
  const realNow = clock.now();
  const timer = timerAfter(run, attempt, step, realNow);
  return { step, payment, transfers, ids, lease: leaseFrom(realNow, run.leaseId), at, timer };
}

/**
 * What a request's step changes of the attempt's timer. It ends with the attempt. A return that was taken is first
 * inquired about later than a call whose answer is lost, for which the timer was set. While the patient was at the
 * challenge its inquiries have grown rare, and the next may be minutes away: for the calls that follow it is due as it
 * was for the first.
 */
function timerAfter(
  { endTimer }: PaymentRun,
  attempt: PaymentAttempt,
  { state, acceptedReturn }: Step,
  now: Date,
): TimerChange | null {
  if (endTimer !== null) return null;
  const timer = { kind: SETTLE_PAYMENT_TIMER, key: attempt.id };
  if (hasEnded(state)) return { ...timer, dueAt: null };
  if (acceptedReturn !== undefined) return { ...timer, dueAt: inquiryAt(now, { isTaken: true }) };
  return isWaiting(attempt.state) && !isWaiting(state) ? { ...timer, dueAt: inquiryAt(now) } : null;
}

/**
 * Writes a step with all its changes to the order; null, with nothing written, if the caller no longer holds the lease.
 */
async function writeProgress(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  run: PaymentRun,
  running: RunningPayment,
  progress: Progress,
): Promise<RunningPayment | null> {
  const { attempt } = running;
  const { step, effects, at } = progress;
  if (!(await writeStep(tx, attempt, stepToWrite(dependencies, run, progress, attempt)))) return null;
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
  // The days until the latest charge count from when the patient paid, as they were shown, however late it is settled.
  const paid: OrderChanges = { paid_at: attempt.startedAt, loan_id: attempt.loanId };
  // With a saved card that was removed meanwhile no second try is made.
  if (trigger === "decline_payment" && (await takeRemovedCardOff(tx, order, at)))
    await askToRemove(tx, dependencies, order, { cardIds: [attempt.card.id], at });
  const moved = await moveOrder(tx, dependencies, order, {
    trigger,
    at,
    ...(trigger === "complete_payment" && { changes: paid }),
    ...(step.ending?.as === "failed" && { failure: failureOf(step.ending.code, firstInstalmentAfter(attempt, step)) }),
  });
  if (trigger === "complete_payment") await dependencies.withinPaid(tx, { providerId, orderId, at });
  return moved;
}

function firstInstalmentAfter({ chargeId }: PaymentAttempt, { attention }: Step): RefusedInstalment {
  if (chargeId === null) return "not_charged";
  return attention === undefined ? "returned" : "not_returned";
}

/** The failure as partners see it, without the reasons, which are only for the patient. */
function failureOf(code: FailureCode, firstInstalment: RefusedInstalment): { code: string; message: string } {
  const refusals = {
    credit_declined: "The financing provider refused the credit",
    confirmation_declined: "The financing provider refused to confirm the loan",
  };
  const ends = {
    not_charged: ".",
    returned: "; the first instalment was given back.",
    not_returned: "; the first instalment could not be given back yet.",
  };
  return { code, message: `${refusals[code]}${ends[firstInstalment]}` };
}

type FailureCode = "credit_declined" | "confirmation_declined";
