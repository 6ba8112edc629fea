import { bookedRows } from "../../orders/ledger/book-reads.ts";
import type { BookedRow } from "../../orders/ledger/books.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";

/** The rows of a provider's ledger between two moments, oldest first. */
export async function bookedEntries(
  db: Database,
  asked: { readonly providerId: string; readonly from: Date; readonly to: Date },
) {
  const rows = await inTransaction(db, (tx) => bookedRows(tx, asked));
  return rows.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.cause.localeCompare(b.cause)).map(entryOf);
}

/** One row, in the order of the columns. */
function entryOf({ at, debit, credit, amount, cause, orderId }: BookedRow) {
  return { at: at.toISOString(), debit, credit, amount, cause, order: orderId };
}
