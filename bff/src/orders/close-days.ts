/*
 * Closes the past days of a provider's ledger once a day. A stored balance per account makes a balance that sum plus
 * the rows since. A trigger adds rows that are booked into a closed day. Results never depend on closing, so it may run
 * late, stop midway or be skipped.
 */

import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import {
  addToClosed,
  type BalanceDifference,
  forgetClosed,
  keepBalanceDifferences,
  lockLedger,
  selectClosedBefore,
  selectFirstBookedAt,
  selectKept,
  selectSums,
} from "./ledger/closing-store.ts";
import type { LedgerAccount } from "./ledger/transfers.ts";

/** Days summed by one statement. Bookings for the provider wait while it runs. */
const PIECE_DAYS = 31;

/** Closes a provider's days before a given day. */
export async function closeDays(
  db: Database,
  { providerId, day }: { readonly providerId: string; readonly day: CalendarDay },
): Promise<void> {
  const from = (await selectClosedBefore(db, providerId)) ?? (await selectFirstBookedAt(db, providerId));
  if (from === null) return;
  for (const { to } of piecesOf(from, santiagoMoment(day))) {
    await inTransaction(db, async (tx) => {
      await lockLedger(tx, providerId);
      await addToClosed(tx, providerId, to);
    });
  }
}

/** Compares the stored balances of a provider with the sums of their rows, and records differences for operators. */
export async function checkBalances(
  db: Database,
  { providerId, at }: { readonly providerId: string; readonly at: Date },
): Promise<readonly BalanceDifference[]> {
  // One snapshot, so that rows and balances match while other transactions book.
  return inTransaction(
    db,
    async (tx) => {
      const differences = await compareBalances(tx, providerId);
      await keepBalanceDifferences(tx, { providerId, differences, at });
      return differences;
    },
    { isolation: "repeatable read" },
  );
}

async function compareBalances(tx: Transaction, providerId: string): Promise<BalanceDifference[]> {
  const [until, from] = [await selectClosedBefore(tx, providerId), await selectFirstBookedAt(tx, providerId)];
  if (until === null || from === null) return [];
  const kept = await selectKept(tx, providerId);
  const booked = new Map<LedgerAccount, Clp>();
  for (const piece of piecesOf(from, until)) {
    for (const [account, sum] of await selectSums(tx, { providerId, ...piece }))
      booked.set(account, addClp(booked.get(account) ?? ZERO, sum));
  }
  return [...new Set([...kept.keys(), ...booked.keys()])]
    .map((account) => ({ account, kept: kept.get(account) ?? ZERO, booked: booked.get(account) ?? ZERO }))
    .filter((one) => one.kept !== one.booked);
}

/** Recomputes the stored balances of the closed days from their rows, which are authoritative. */
export async function recountBalances(tx: Transaction, providerId: string): Promise<void> {
  await lockLedger(tx, providerId);
  const until = await selectClosedBefore(tx, providerId);
  await forgetClosed(tx, providerId);
  if (until !== null) await addToClosed(tx, providerId, until);
}

/** Splits [from, to) into pieces of whole days in Santiago. */
function piecesOf(from: Date, to: Date): { readonly from: Date; readonly to: Date }[] {
  const pieces: { from: Date; to: Date }[] = [];
  for (let begin = from; begin < to; ) {
    const end = santiagoMoment(addCalendarDays(santiagoDay(begin), PIECE_DAYS));
    pieces.push({ from: begin, to: end < to ? end : to });
    begin = end;
  }
  return pieces;
}
