import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrderKey } from "../order-store.ts";

export async function writeDispute(
  tx: Transaction,
  key: OrderKey,
  { chargeId, disputed, lost }: { readonly chargeId: string; readonly disputed: number; readonly lost: number },
  at: Date,
): Promise<void> {
  await tx
    .updateTable("order_payments")
    .set({ disputed, lost, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("charge_id", "=", chargeId)
    .execute();
}
