import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrderKey } from "../order-store.ts";

export interface NewPaymentOtherwise {
  readonly id: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly evidence: string;
  readonly actor: string;
  readonly at: Date;
}

/** Inserts what a patient has paid in another way. A second one of the order violates the table's primary key. */
export async function insertPaymentOtherwise(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  { id, amount, commission, evidence, actor, at }: NewPaymentOtherwise,
): Promise<void> {
  await tx
    .insertInto("payments_otherwise")
    .values({
      provider_id: providerId,
      order_id: orderId,
      id,
      amount,
      commission,
      evidence,
      booked_by: actor,
      created_at: at,
      updated_at: at,
    })
    .execute();
}
