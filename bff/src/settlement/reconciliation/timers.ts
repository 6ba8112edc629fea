import type { EventHandlers } from "../../platform/outbox.ts";
import type { TimerHandlers } from "../../platform/timers/timer-worker.ts";
import { beginReconciling, type DailyReconciliationDependencies, RECONCILE_TIMER, runDaily } from "./run-daily.ts";

/** What falls due for the reconciliation. */
export function reconciliationTimerHandlers(dependencies: DailyReconciliationDependencies): TimerHandlers {
  return { [RECONCILE_TIMER]: (timer) => runDaily(dependencies, timer) };
}

/** The first payment of a provider begins its daily reconciliation. */
export function handleReconciliationEvents(
  events: EventHandlers,
  dependencies: Pick<DailyReconciliationDependencies, "clock">,
): void {
  events.subscribe("order.paid", (tx, event) => beginReconciling(tx, dependencies, event));
}
