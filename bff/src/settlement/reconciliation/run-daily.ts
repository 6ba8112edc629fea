import { firstPaymentAt } from "../../orders/book-reads.ts";
import { checkBalances, closeDays } from "../../orders/close-days.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Logger } from "../../platform/logger.ts";
import type { DomainEvent } from "../../platform/outbox.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../../platform/santiago-time.ts";
import { spreadFrom } from "../../platform/spread.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { type BookAndReconcileDependencies, bookAndReconcile, type Reconciled } from "../reconcile.ts";
import { daysToCompare } from "./days-to-compare.ts";
import { keepRun, selectComparedUntil, selectDiffering } from "./reconciliation-store.ts";

/** The daily reconciliation of one provider. The timer's key is the provider's id. */
export const RECONCILE_TIMER = "reconciliation.run";

/** Reconciliations run before the day's payouts and charges, spread over the hour by provider. */
const RUN_HOUR = 6;

export interface DailyReconciliationDependencies extends BookAndReconcileDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts the daily reconciliation of a provider at its first paid order. */
export async function beginReconciling(
  tx: Transaction,
  { clock }: Pick<DailyReconciliationDependencies, "clock">,
  { providerId }: DomainEvent,
): Promise<void> {
  const provider = await requireProvider(tx, providerId);
  const dueAt = realMoment(provider, nextRun(providerNow(provider, clock.now()), providerId));
  await scheduleTimer(tx, { kind: RECONCILE_TIMER, key: providerId, providerId, dueAt, payload: {} });
}

function nextRun(after: Date, providerId: string): Date {
  const runOf = (day: CalendarDay) => spreadFrom(santiagoMoment(day, RUN_HOUR), providerId);
  const today = runOf(santiagoDay(after));
  return today > after ? today : runOf(addCalendarDays(santiagoDay(after), 1));
}

/**
 * Reconciles the provider's days that were not compared yet, and stores every difference until it is gone. Then closes
 * the past days of the ledger and checks their stored balances.
 */
export async function runDaily(
  dependencies: DailyReconciliationDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, logger } = dependencies;
  const provider = await requireProvider(db, timer.providerId);
  const now = providerNow(provider, clock.now());
  const day = santiagoDay(now);
  const comparedUntil = (await selectComparedUntil(db, provider.id)) ?? (await firstDay(db, provider.id)) ?? day;
  const differing = await selectDiffering(db, provider.id);
  const periods = daysToCompare({ today: day, comparedUntil, differing: differing.moments.map(santiagoDay) });
  const found: Reconciled[] = [];
  for (const [index, period] of periods.entries()) {
    // Orders are compared as a whole, whatever the period, so one comparison is enough.
    const orders = index === 0 ? differing.orders : [];
    found.push(await bookAndReconcile(dependencies, { providerId: provider.id, ...period }, now, orders));
  }
  const differences = found.flatMap((one) => one.differences);
  const unavailable = [...new Set(found.flatMap((one) => one.unavailable))];
  const unresolved = found.flatMap((one) => [...one.unresolved]);
  const run = {
    providerId: provider.id,
    day,
    at: now,
    periods,
    differences,
    unavailable,
    unresolved,
  };
  await inTransaction(db, (tx) => keepRun(tx, run));
  if (differences.length > 0 || unavailable.length > 0)
    logger.warn("reconciliation.differs", { provider_id: provider.id, count: differences.length });
  await closeDays(db, { providerId: provider.id, day });
  const balances = await checkBalances(db, { providerId: provider.id, at: now });
  if (balances.length > 0) logger.error("ledger.balance_differs", { provider_id: provider.id, count: balances.length });
  return { again: realMoment(provider, nextRun(now, provider.id)) };
}

/** The first day on which money can have moved; null if no patient has paid. */
async function firstDay(db: Database, providerId: string): Promise<CalendarDay | null> {
  const at = await firstPaymentAt(db, providerId);
  return at === null ? null : santiagoDay(at);
}
