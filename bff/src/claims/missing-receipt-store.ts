import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";

/** Notes once that the receipt of an order was not there when it was due. Returns whether this was not noted before. */
export async function noteMissingReceipt(
  tx: Transaction,
  { providerId, orderId }: { readonly providerId: string; readonly orderId: OrderId },
  at: Date,
): Promise<boolean> {
  const result = await tx
    .insertInto("missing_receipts")
    .values({ provider_id: providerId, order_id: orderId, noticed_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
