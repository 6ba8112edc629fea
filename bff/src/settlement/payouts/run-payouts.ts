import { ZERO } from "../../contract/vocabulary/clp.ts";
import { collectedFor, owedFor } from "../../orders/book-reads.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { cutoffOf, isPaidOut, nextPayoutRun, payoutDayOf, payoutIdOf, planPayout } from "../payout.ts";
import {
  insertPayout,
  lockPayee,
  readEarlierPayouts,
  selectPayableOrders,
  selectPayeesToPay,
} from "../payout-store.ts";
import { accountOf, isAccountConfirmed, isSameAccount, openAccount } from "../payout-terms.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import type { Payee, PayoutKey } from "./payout-record.ts";

/** Requests one payout from the bank. The timer's key is the payout's id. */
export const SEND_PAYOUT_TIMER = "payouts.send";

/**
 * The daily run of one provider: one payout per payee, with everything booked before the day began. It may be
 * interrupted and restarted at any point, because no item is put into two payouts. A late run keeps the day on which it
 * was due. A restored database therefore requests the payouts of the lost days under the keys that the bank knows.
 * A payee that fails does not stop the others: the run throws at its end, so that it is retried.
 */
export async function runPayouts(dependencies: PayoutDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock, logger } = dependencies;
  const provider = await requireProvider(db, timer.providerId);
  const now = providerNow(provider, clock.now());
  const dueAt = providerNow(provider, timer.dueAt);
  const day = payoutDayOf(dueAt, provider.id);
  const failures: unknown[] = [];
  for (const payee of await selectPayeesToPay(db, { providerId: provider.id, before: cutoffOf(day) })) {
    try {
      await inTransaction(db, (tx) => preparePayout(tx, dependencies, payee, { day, at: now }));
    } catch (error) {
      logger.error("payouts.payee_failed", { provider_id: provider.id, payee_id: payee.id, error });
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return { again: realMoment(provider, nextPayoutRun(dueAt, provider.id)) };
}

/**
 * Records a payee's payout of the day and the timer that has the bank make it. Returns null if:
 * - this day already has one, or another is in progress
 * - nothing is owed (a negative amount is carried over)
 * - the payee has no account, only the one that the bank refused, or an unconfirmed new one
 */
export async function preparePayout(
  tx: Transaction,
  dependencies: PayoutDependencies,
  payee: Payee,
  { day, at }: { readonly day: CalendarDay; readonly at: Date },
): Promise<PayoutKey | null> {
  const { clock, keyring } = dependencies;
  const { providerId } = payee;
  await lockPayee(tx, payee);
  const { isBusy, refusedAccountHash } = await readEarlierPayouts(tx, payee, day);
  const account = isBusy ? null : await accountOf(dependencies, tx, payee);
  if (account === null) return null;
  // The bank would refuse the same account again. The payee must give another one first.
  const isRefused = refusedAccountHash !== null;
  if (isRefused && isSameAccount(keyring, openAccount(keyring, account.sealed), refusedAccountHash)) return null;
  const before = cutoffOf(day);
  const payable = await selectPayableOrders(tx, payee, before);
  const readOwed = payee.kind === "lender" ? collectedFor : owedFor;
  const owed = await readOwed(tx, { providerId, orderIds: payable.map(({ orderId }) => orderId), before });
  const { amount, items } = planPayout(payable.map((order) => ({ ...order, owed: owed.get(order.orderId) ?? ZERO })));
  if (!isPaidOut(amount)) return null;
  if (!(await isAccountConfirmed(tx, dependencies, payee, { account, at }))) return null;
  const key = { providerId, id: payoutIdOf(payee.id, day) };
  await insertPayout(tx, { ...key, payeeId: payee.id, day, amount, account }, items, { before, at });
  const dueAt = clock.now();
  await scheduleTimer(tx, { kind: SEND_PAYOUT_TIMER, key: key.id, providerId, dueAt, payload: {} });
  return key;
}
