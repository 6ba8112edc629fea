import type { CardProcessor } from "../gateways/card-processor.ts";
import { bookSettlement } from "../orders/book-entries.ts";
import type { Period } from "../orders/books.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import {
  addsUp,
  type BookedLine,
  type BookedSettlement,
  bookedLine,
  bookedSettlement,
  type SettledMovement,
} from "./settlement.ts";
import {
  insertSettlement,
  selectFirstSettledAt,
  selectLines,
  selectSettledMovements,
  selectSettledSources,
  selectSettlements,
} from "./settlement-store.ts";

interface BookSettlementsDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly cardProcessor: Pick<CardProcessor, "listSettlements">;
}

/**
 * Books the settlements that were paid in a period and are not booked yet. Skips one whose lines do not sum to its
 * amount; the reconciliation reports it. `now` is the provider's time. Throws `GatewayUnavailable` if the list is
 * unavailable.
 */
export async function bookSettlements(
  { db, ids, cardProcessor }: BookSettlementsDependencies,
  { providerId, from, to }: Period,
  now: Date,
): Promise<void> {
  const settlements = await cardProcessor.listSettlements(providerId, from, to);
  for (const settlement of settlements.filter(addsUp)) {
    const booked = bookedSettlement(settlement);
    await inTransaction(db, async (tx) => {
      const isNew = await insertSettlement(tx, { providerId, bookedAt: now }, booked, settlement.lines.map(bookedLine));
      if (isNew) await bookSettlement(tx, ids, { ...booked, providerId, settlementId: booked.id, at: now });
    });
  }
}

/** The settlements that were paid in [from, to), oldest first. */
export function listSettlements(db: Database, period: Period): Promise<BookedSettlement[]> {
  return selectSettlements(db, period);
}

export function settlementLines(
  db: Database,
  key: { readonly providerId: string; readonly id: string },
): Promise<BookedLine[]> {
  return selectLines(db, key);
}

/**
 * The settled amount, over all settlements, of each charge and return that a settlement of the period settles in part
 * or in full.
 */
export function settledMovements(tx: Transaction, period: Period): Promise<SettledMovement[]> {
  return selectSettledMovements(tx, period);
}

/** The sources among these that were settled, at least in part. */
export function settledSources(
  tx: Transaction,
  requested: { readonly providerId: string; readonly sources: readonly string[] },
): Promise<Set<string>> {
  return selectSettledSources(tx, requested);
}

/** When the first settlement was paid; null if the processor reports none. */
export function firstSettledAt(db: Database, providerId: string): Promise<Date | null> {
  return selectFirstSettledAt(db, providerId);
}
