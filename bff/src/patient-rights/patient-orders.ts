import { addClp, ZERO } from "../contract/vocabulary/clp.ts";
import { deferredDue } from "../orders/deferred-charge.ts";
import { wasPaid } from "../orders/order.ts";
import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type PersonKey, readOrderKeys } from "./patient-data-store.ts";
import type { OrderFacts } from "./rights.ts";

/** One of a patient's orders, at whichever clinic. */
export interface PatientOrderRecord {
  readonly providerName: string;
  readonly order: OrderRecord;
}

/** All orders under a RUT, oldest first. */
export async function patientOrders(db: Database, person: PersonKey): Promise<PatientOrderRecord[]> {
  const found: PatientOrderRecord[] = [];
  for (const { providerId, providerName, id } of await readOrderKeys(db, person)) {
    const order = await findOrder(db, { providerId, id });
    if (order !== null) found.push({ providerName, order });
  }
  return found;
}

export function factsOf({ order }: PatientOrderRecord): OrderFacts {
  const { price, commission } = deferredDue(order);
  const isOwed = wasPaid(order.state) && price > 0;
  return {
    state: order.state,
    owed: isOwed ? addClp(price, commission) : ZERO,
    hasPayments: order.payments.length > 0,
    isBusy: [...order.payments, ...order.refunds].some(({ status }) => status === "processing"),
  };
}
