import { timerOutcomeOfLeased } from "../../gateways/run-call.ts";
import { leaseFrom } from "../../platform/lease.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { readOrderId } from "../timer-payload.ts";
import { hasEnded, nextInquiryAt } from "./payment-attempt.ts";
import { claimAttempt } from "./payment-store.ts";
import { type RunPaymentDependencies, runPayment } from "./run-payment.ts";

/**
 * Resumes an attempt that a request has left unfinished. It begins with an inquiry because the call of the attempt's
 * state may have been made. The first time is set with the attempt (`pay-order.ts`); asks again after `nextInquiryAt`'s delays
 * until the attempt has ended. While a request holds it, looks soon again whether it still does.
 */
export async function settlePayment(
  dependencies: RunPaymentDependencies & Pick<OrdersDependencies, "findProvider">,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, ids, findProvider } = dependencies;
  const provider = await findProvider(timer.providerId);
  const key = { providerId: timer.providerId, orderId: readOrderId(timer.payload), attemptId: timer.key };
  const lease = leaseFrom(clock.now(), ids.uuid());
  const claim = await claimAttempt(db, key, lease, clock.now());
  if (!("attempt" in claim)) return timerOutcomeOfLeased(claim.busyUntil, clock.now());
  const { attempt } = await runPayment(dependencies, {
    provider,
    attempt: claim.attempt,
    leaseId: lease.id,
    mayHaveArrived: true,
    isInquiry: true,
    endTimer: (tx) => context.finish(tx),
  });
  if (hasEnded(attempt.state)) return "done";
  const now = providerNow(provider, clock.now());
  return { again: realMoment(provider, nextInquiryAt(attempt, now)) };
}
