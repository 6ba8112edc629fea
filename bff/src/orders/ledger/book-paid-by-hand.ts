import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "./transfer-store.ts";

export interface PaidByHand {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The payment attempt whose captured charge could not be returned to its card. */
  readonly attemptId: string;
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books that an operator has paid back money that could not be returned to a card. A second booking violates
 * `ledger_transfers_cause_key`.
 */
export async function bookPaidByHand(tx: Transaction, ids: Ids, { attemptId, ...paid }: PaidByHand): Promise<void> {
  const cause = `paid-by-hand:${attemptId}`;
  await recordTransfers(tx, ids, [{ ...paid, debit: "order", credit: "paid_by_hand", cause }]);
}
