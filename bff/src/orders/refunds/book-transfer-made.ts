import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { transferMade } from "../ledger/transfers.ts";
import type { OrderKey } from "../order-store.ts";
import { writeTransferred } from "./refund-store.ts";

export interface MadeTransfer extends OrderKey {
  /** The movement of a refund that owed it. */
  readonly movementId: string;
  /** Commission included. */
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books that an operator has made an owed transfer. A second booking violates `ledger_transfers_cause_key`. */
export async function bookTransferMade(tx: Transaction, ids: Ids, made: MadeTransfer): Promise<void> {
  const { movementId: sourceId, ...transfer } = made;
  await writeTransferred(tx, made, sourceId, made.at);
  await recordTransfers(tx, ids, [transferMade({ ...transfer, sourceId })]);
}
