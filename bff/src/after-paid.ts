import type { CollectionDependencies } from "./collection/dependencies.ts";
import { subscribeCollection } from "./collection/subscriptions.ts";
import { collectionTimerHandlers } from "./collection/timers.ts";
import { type AfterPaidNoticesDependencies, subscribeAfterPaidNotices } from "./notices/after-paid-subscriptions.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { subscribePayouts } from "./payouts/subscriptions.ts";
import { payoutTimerHandlers } from "./payouts/timers.ts";
import type { EventSubscriptions } from "./platform/outbox.ts";
import type { TimerHandlers } from "./platform/timers/timer-worker.ts";
import type { DailyReconciliationDependencies } from "./reconciliation/run-daily.ts";
import { reconciliationTimerHandlers, subscribeReconciliation } from "./reconciliation/timers.ts";

/** What the features are given that work when an order has been paid. */
export type AfterPaidDependencies = CollectionDependencies &
  PayoutDependencies &
  DailyReconciliationDependencies &
  AfterPaidNoticesDependencies;

/** What they do when something falls due. */
export function afterPaidTimerHandlers(dependencies: AfterPaidDependencies): TimerHandlers {
  return {
    ...collectionTimerHandlers(dependencies),
    ...payoutTimerHandlers(dependencies),
    ...reconciliationTimerHandlers(dependencies),
  };
}

/** What they do when something happens. */
export function subscribeAfterPaid(subscriptions: EventSubscriptions, dependencies: AfterPaidDependencies): void {
  subscribeCollection(subscriptions);
  subscribePayouts(subscriptions, dependencies);
  subscribeReconciliation(subscriptions, dependencies);
  subscribeAfterPaidNotices(subscriptions, dependencies);
}
