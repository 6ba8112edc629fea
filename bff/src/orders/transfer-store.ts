import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Transfer } from "./transfers.ts";

interface LedgerTransferRow {
  id: string;
  provider_id: string;
  order_id: string;
  debit: string;
  credit: string;
  amount: number;
  cause: string;
  at: Date;
}

declare module "../platform/database/tables.ts" {
  interface Tables {
    ledger_transfers: LedgerTransferRow;
  }
}

/** Books movements of money in the transaction in which they become known; amounts of nothing are left out. */
export async function recordTransfers(tx: Database, ids: Ids, transfers: readonly Transfer[]): Promise<void> {
  const rows = transfers
    .filter(({ amount }) => amount > 0)
    .map(({ providerId, orderId, debit, credit, amount, cause, at }) => ({
      id: ids.uuid(),
      provider_id: providerId,
      order_id: orderId,
      debit,
      credit,
      amount,
      cause,
      at,
    }));
  if (rows.length > 0) await tx.insertInto("ledger_transfers").values(rows).execute();
}
