import type { Clock } from "../platform/clock.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Logger } from "../platform/logger.ts";
import type { DomainEvent } from "../platform/outbox.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { providerNow, realMoment } from "../providers/provider.ts";
import { requireProvider } from "../providers/provider-reads.ts";
import { type ReconcileDependencies, reconcile } from "./reconcile.ts";
import { keepRun, selectDifferingOrders } from "./reconciliation-store.ts";

/** The daily reconciliation of one provider; its key is the provider's id. */
export const RECONCILE_TIMER = "reconciliation.run";

/** Before the day's payouts and charges. */
const RUN_HOUR = 6;
/** Days before the day of the run; a line that came late is found all the same. */
const DAYS_BACK = 3;

export interface DailyReconciliationDependencies extends ReconcileDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A provider has an order that was paid: from now on its books are compared every day. */
export async function beginReconciling(
  tx: Transaction,
  { clock }: Pick<DailyReconciliationDependencies, "clock">,
  { providerId }: DomainEvent,
): Promise<void> {
  const provider = await requireProvider(tx, providerId);
  const dueAt = realMoment(provider, nextRun(providerNow(provider, clock.now())));
  await scheduleTimer(tx, { kind: RECONCILE_TIMER, key: providerId, providerId, dueAt, payload: {} });
}

function nextRun(after: Date): Date {
  const today = santiagoMoment(santiagoDay(after), RUN_HOUR);
  return today > after ? today : santiagoMoment(addCalendarDays(santiagoDay(after), 1), RUN_HOUR);
}

/** Reconciles the last days of a provider, and keeps every difference until it is gone. */
export async function runDaily(
  dependencies: DailyReconciliationDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, logger } = dependencies;
  const provider = await requireProvider(db, timer.providerId);
  const now = providerNow(provider, clock.now());
  const day = santiagoDay(now);
  const from = santiagoMoment(addCalendarDays(day, -DAYS_BACK));
  const period = { providerId: provider.id, from, to: santiagoMoment(day) };
  const differing = await selectDifferingOrders(db, provider.id);
  const { differences, unavailable, unresolved } = await reconcile(dependencies, period, now, differing);
  await inTransaction(db, (tx) => keepRun(tx, { ...period, day, at: now, differences, unavailable, unresolved }));
  if (differences.length > 0 || unavailable.length > 0)
    logger.warn("reconciliation.differs", { provider_id: provider.id, count: differences.length });
  return { again: realMoment(provider, nextRun(now)) };
}
