import { type Clp, minClp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { selectOrderBalance } from "./book-store.ts";
import { recordTransfers } from "./transfer-store.ts";

export interface WrittenOff {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books that what is left of an order's loan will not be collected. Returns the amount. A second booking violates
 * `ledger_transfers_cause_key`.
 */
export async function bookWriteOff(tx: Transaction, ids: Ids, order: WrittenOff): Promise<Clp> {
  const amount = await selectOrderBalance(tx, order, "financing_provider");
  const cause = `write-off:${order.orderId}`;
  await recordTransfers(tx, ids, [{ ...order, debit: "written_off", credit: "financing_provider", amount, cause }]);
  return amount;
}

/** Takes back from a write-off what a refund has taken from the loan since; `refundEventId` names the refund. */
export async function reduceWriteOff(
  tx: Transaction,
  ids: Ids,
  order: WrittenOff,
  refundEventId: string,
): Promise<void> {
  const writtenOff = await selectOrderBalance(tx, order, "written_off");
  const overpaid = subtractClp(ZERO, await selectOrderBalance(tx, order, "financing_provider"));
  const amount = minClp(writtenOff, overpaid);
  if (amount <= 0) return;
  const cause = `write-off-reduced:${refundEventId}`;
  await recordTransfers(tx, ids, [{ ...order, debit: "financing_provider", credit: "written_off", amount, cause }]);
}
