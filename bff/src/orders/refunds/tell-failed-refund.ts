import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { lockOrder } from "../order-store.ts";
import { publishOrderNews } from "../publish-news.ts";
import type { RefundKey } from "./refund-store.ts";

/**
 * Publishes that a refund has failed which was answered `processing`: its clinic may have told its patient of it. Once for a refund, in
 * the transaction after which nobody looks at it any more. `at` is in the provider's time.
 */
export async function tellFailedRefund(
  tx: Transaction,
  { ids, related }: Pick<OrdersDependencies, "ids" | "related">,
  { refundId, ...key }: RefundKey,
  at: Date,
): Promise<void> {
  const order = await lockOrder(tx, key);
  const expense = await related.expenseOf(tx, order.providerId, order.orderId);
  const collection = await related.collectionOf(tx, order);
  await publishOrderNews(tx, ids, order, {
    kind: "order.refund_failed",
    refundId,
    related: { expense, collection },
    at,
  });
}
