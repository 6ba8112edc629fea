import type { Database } from "../../platform/database/transaction.ts";
import { type Provider, realMoment } from "../../platform/provider.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../../platform/santiago-time.ts";
import { nextDue } from "../../platform/timers/timer-store.ts";
import { PAYOUT_RUN_TIMER } from "./owe-payee.ts";
import { payoutIdOf } from "./payout.ts";
import { selectPayeeIds } from "./payout-store.ts";

/**
 * Whether a payout that the bank lists and the books lost in a restore will be asked for under its id again: the run of
 * its day is still to come, and its payee is known.
 */
export async function isPayoutAskedFor(
  db: Database,
  provider: Provider,
  { id, day }: { readonly id: string; readonly day: CalendarDay },
): Promise<boolean> {
  const payees = await selectPayeeIds(db, provider.id);
  if (!payees.some((payeeId) => payoutIdOf(payeeId, day) === id)) return false;
  const before = realMoment(provider, santiagoMoment(addCalendarDays(day, 1)));
  const nextRun = await nextDue(db, provider.id, { only: PAYOUT_RUN_TIMER });
  return nextRun !== null && nextRun.dueAt < before;
}
