import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { type ClaimRecord, readClaimOfOrder } from "./claim-store.ts";

/**
 * The claim of an order; `null` if it has none. The caller must hold the lock on the order's expense, because filing and
 * what the insurer finds missing are recorded only under that lock.
 */
export function claimOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ClaimRecord | null> {
  return readClaimOfOrder(tx, order);
}
