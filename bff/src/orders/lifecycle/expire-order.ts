import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { providerNow } from "../../platform/provider.ts";
import { readOrderId } from "../../platform/timers/order-payload.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { findTransition } from "../order.ts";
import { lockOrder } from "../order-reads.ts";
import { moveOrder } from "./move-order.ts";

/** Kind of the timer that cancels an order not paid within its provider's time limit. Its key is the order's hash. */
export const EXPIRE_ORDER_TIMER = "order.expire";

/** Delay before the next check of an order whose payment is in progress. */
const LOOK_AGAIN_MS = 5 * MINUTE_MS;

type ExpireDependencies = Pick<OrdersDependencies, "db" | "clock" | "ids" | "related" | "findProvider">;

export async function expireOrder(
  dependencies: ExpireDependencies,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, findProvider } = dependencies;
  const provider = await findProvider(timer.providerId);
  const key = { providerId: timer.providerId, orderId: readOrderId(timer.payload) };
  return inTransaction(db, async (tx) => {
    const order = await lockOrder(tx, key);
    const outcome = order.state === "paying" ? inquireAgain(clock.now()) : "done";
    if (findTransition(order.state, "expire") !== null)
      await moveOrder(tx, dependencies, order, { trigger: "expire", at: providerNow(provider, clock.now()) });
    // Lock the order before its timer, as every other operation that ends this timer does; otherwise they could
    // deadlock.
    await context.finish(tx, outcome);
    return outcome;
  });
}

function inquireAgain(realNow: Date): TimerOutcome {
  return { again: new Date(realNow.getTime() + LOOK_AGAIN_MS) };
}
