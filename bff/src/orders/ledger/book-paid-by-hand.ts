import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "./transfer-store.ts";

export interface PaidByHand {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** Whose captured charge could not go back to its card. */
  readonly attemptId: string;
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books that a person has paid back what a card would not take; a second time breaks `ledger_transfers_cause_key`. */
export async function bookPaidByHand(tx: Transaction, ids: Ids, { attemptId, ...paid }: PaidByHand): Promise<void> {
  const cause = `paid-by-hand:${attemptId}`;
  await recordTransfers(tx, ids, [{ ...paid, debit: "order", credit: "paid_by_hand", cause }]);
}
