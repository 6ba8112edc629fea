import type { CollectionDependencies } from "../collection/dependencies.ts";
import { handleCollectionEvents } from "../collection/event-handlers.ts";
import { type AfterPaidNotificationsDependencies, handleMoneyEvents } from "../collection/notify-patient-of-money.ts";
import { collectionTimerHandlers } from "../collection/timers.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import type { PayoutDependencies } from "../settlement/payouts/dependencies.ts";
import { handlePayoutEvents } from "../settlement/payouts/event-handlers.ts";
import { payoutTimerHandlers } from "../settlement/payouts/timers.ts";
import type { DailyReconciliationDependencies } from "../settlement/reconciliation/run-daily.ts";
import { handleReconciliationEvents, reconciliationTimerHandlers } from "../settlement/reconciliation/timers.ts";

/** What the features are given that work when an order has been paid. */
export type AfterPaidDependencies = CollectionDependencies &
  PayoutDependencies &
  DailyReconciliationDependencies &
  AfterPaidNotificationsDependencies;

/** What they do when something falls due. */
export function afterPaidTimerHandlers(dependencies: AfterPaidDependencies): TimerHandlers {
  return {
    ...collectionTimerHandlers(dependencies),
    ...payoutTimerHandlers(dependencies),
    ...reconciliationTimerHandlers(dependencies),
  };
}

/** What they do when something happens. */
export function handleAfterPaidEvents(subscriptions: EventHandlers, dependencies: AfterPaidDependencies): void {
  handleCollectionEvents(subscriptions);
  handlePayoutEvents(subscriptions, dependencies);
  handleReconciliationEvents(subscriptions, dependencies);
  handleMoneyEvents(subscriptions, dependencies);
}
