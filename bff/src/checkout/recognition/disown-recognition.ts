import type { DisownRecognitionResponse } from "../../contract/orders.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { patientOrder } from "../../orders/order-view.ts";
import { disownIdentity } from "../../orders/recognise-identity.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { endRecognitions } from "./recognition-store.ts";

export interface DisownRecognitionDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * The person on the page denies being the recognised patient. The order continues as if no recognition had happened. A
 * second call changes nothing. Throws `payment_in_progress` and `order_not_payable`.
 */
export function disownRecognition(
  { db, ids, clock }: DisownRecognitionDependencies,
  { order, now }: { readonly order: OrderRecord; readonly now: Date },
): Promise<DisownRecognitionResponse> {
  return inTransaction(db, async (tx) => {
    const left = await disownIdentity(tx, { clock }, order, now);
    await endRecognitions(tx, order, now);
    if (order.identityRecognised)
      await recordAudit(tx, {
        id: ids.uuid(),
        providerId: order.providerId,
        actor: "patient",
        credentialId: null,
        act: "patient.disowned",
        subject: { kind: "order", id: order.orderId },
        details: {},
        at: now,
      });
    return { order: patientOrder(left, now) };
  });
}
