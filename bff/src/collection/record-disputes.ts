import { recordDisputes } from "../orders/payments/charge-disputes.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { selectDisputed } from "./chargeback-store.ts";
import type { CollectionKey } from "./collection-record.ts";

/**
 * Records on an order's charges what the patient's bank has taken back of them so far. Called when a chargeback is noted
 * or ends, and when a charge becomes known, since its chargeback may be known before it. The caller has locked the order.
 */
export async function recordOrdersDisputes(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  at: Date,
): Promise<void> {
  const key = { providerId, orderId };
  await recordDisputes(tx, key, await selectDisputed(tx, key), at);
}
