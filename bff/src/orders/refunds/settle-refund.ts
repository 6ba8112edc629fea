import { type RanAttempt, timerOutcomeOf, timerOutcomeOfLeased } from "../../gateways/run-call.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Lease, leaseFrom } from "../../platform/lease.ts";
import { providerNow } from "../../platform/provider.ts";
import { readOrderId } from "../../platform/timers/order-payload.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { findOrder } from "../order-reads.ts";
import { requireFound } from "../order-store.ts";
import { claimRefund, type RefundKey, releaseRefund } from "./refund-store.ts";
import { publishFailedRefund, type RunRefundDependencies, runRefund } from "./run-refund.ts";

/**
 * Resumes a refund that a request left unfinished. While it waits for a charge there is nothing to do: the outcome of
 * that charge allocates it (`settleDeferredCharge`). Then inquires about its movements and makes those that were not
 * made. Reports and publishes the failure of a refund that needs a disputed charge.
 */
export async function settleRefund(
  dependencies: RunRefundDependencies & Pick<OrdersDependencies, "findProvider">,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, ids, connectors, findProvider, logger } = dependencies;
  const provider = await findProvider(timer.providerId);
  const key = { providerId: timer.providerId, orderId: readOrderId(timer.payload), refundId: timer.key };
  const now = () => providerNow(provider, clock.now());
  const lease = leaseFrom(clock.now(), ids.uuid());
  const claim = await claimRefund(db, key, lease, { connectors, realNow: clock.now() });
  if ("busyUntil" in claim && claim.busyUntil !== null) return timerOutcomeOfLeased(claim.busyUntil, clock.now());
  const order = requireFound(await findOrder(db, key));
  if ("busyUntil" in claim) {
    const hasFailedWaiting = order.refunds.some(
      ({ id, status, allocated }) => id === key.refundId && status === "failed" && !allocated,
    );
    if (!hasFailedWaiting) return "done";
    logger.error("refund.needs_attention", { order_id: key.orderId, reason: "charge_disputed" });
    await inTransaction(db, async (tx) => {
      // Lock the order before the timer, as the end of a run does.
      await publishFailedRefund(tx, dependencies, key, now());
      await context.finish(tx);
    });
    return "done";
  }
  const isAllocated = order.refunds.some(({ id, allocated }) => id === key.refundId && allocated);
  const endTimer: TimerContext["finish"] = (tx) => context.finish(tx);
  const ran = isAllocated
    ? await runRefund(dependencies, {
        key,
        now,
        leaseId: lease.id,
        connectors: claim.connectors,
        mayHaveArrived: true,
        wasAnswered: () => true,
        endTimer,
      })
    : await stillWaiting(dependencies, key, lease, now());
  return timerOutcomeOf(ran, clock.now());
}

/** Releases a refund whose charge is unresolved. It is retried at the same intervals as one without an answer. */
async function stillWaiting(
  { db }: Pick<OrdersDependencies, "db">,
  key: RefundKey,
  lease: Lease,
  at: Date,
): Promise<RanAttempt<null>> {
  return { outcome: "unanswered", attempt: null, waited: await releaseRefund(db, key, lease, { isInquiry: true, at }) };
}
