import type { Period } from "../../orders/ledger/books.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { BookedLine, BookedSettlement, SettledMovement } from "./settlement.ts";
import {
  selectFirstSettledAt,
  selectLines,
  selectSettledMovements,
  selectSettledSources,
  selectSettlements,
} from "./settlement-store.ts";

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

/** What was settled, in all settlements, for each charge and return of which those of the period settle something. */
export function settledMovements(tx: Transaction, period: Period): Promise<SettledMovement[]> {
  return selectSettledMovements(tx, period);
}

/** Those of these sources of which something was settled. */
export function settledSources(
  tx: Transaction,
  asked: { readonly providerId: string; readonly sources: readonly string[] },
): Promise<Set<string>> {
  return selectSettledSources(tx, asked);
}

/** When the first settlement was paid; `null` where the processor tells none. */
export function firstSettledAt(db: Database, providerId: string): Promise<Date | null> {
  return selectFirstSettledAt(db, providerId);
}
