import { type Clp, subtractClp } from "../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../src/contract/vocabulary/identifiers.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import { ApiError } from "../src/platform/http/api-error.ts";
import type { Ids } from "../src/platform/ids.ts";
import { addReturned, findChargesOfOrder, insertMovement, lockCharge } from "./card-processor/card-processor-store.ts";

/**
 * Charges back the rest of an order's latest charge, as its cardholder would. The processor's list of movements then
 * has the chargeback. Throws 404 if nothing was captured or everything was returned.
 */
export async function chargeBack(
  { db, ids }: { readonly db: Database; readonly ids: Ids },
  { providerId, orderHash, at }: { providerId: string; orderHash: OrderId; at: Date },
): Promise<{ id: string; chargeId: string; amount: Clp }> {
  return inTransaction(db, async (tx) => {
    const charges = await findChargesOfOrder(tx, { providerId, orderHash });
    const charge = await lockCharge(tx, { providerId, chargeId: charges.at(-1) ?? "" });
    if (charge === undefined) throw new ApiError("order_not_found");
    const amount = subtractClp(charge.amount, charge.returned);
    if (amount === 0) throw new ApiError("order_not_found");
    const id = ids.uuid();
    await addReturned(tx, charge.id, amount);
    await insertMovement(tx, {
      id,
      providerId,
      kind: "chargeback",
      chargeId: charge.id,
      cardId: charge.cardId,
      // A chargeback is not caused by a call of the service, so it has none of the service's keys.
      idempotencyKey: id,
      orderHash,
      amount,
      at,
    });
    return { id, chargeId: charge.id, amount };
  });
}
