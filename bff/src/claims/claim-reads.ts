import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { readFiledAt } from "./claim-store.ts";

/**
 * Has the claim of an order been filed, whatever has become of it since? For whoever holds the order's expense: that it was is
 * written only under the same lock.
 */
export async function wasClaimFiled(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<boolean> {
  return (await readFiledAt(tx, order)) !== null;
}
