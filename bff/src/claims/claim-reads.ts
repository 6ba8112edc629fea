import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { readFiledAt } from "./claim-store.ts";

/**
 * Whether the claim of an order was ever filed, whatever its state now. The caller must hold the lock on the order's
 * expense, because filing is recorded only under that lock.
 */
export async function wasClaimFiled(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<boolean> {
  return (await readFiledAt(tx, order)) !== null;
}
