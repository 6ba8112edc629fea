import { owedNow } from "../collection/due-now.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type PersonKey, readOrderKeys } from "./patient-data-store.ts";
import type { OrderFacts } from "./rights.ts";

/** One of a patient's orders, at whichever clinic. */
export interface PatientOrderRecord {
  readonly providerName: string;
  readonly order: OrderRecord;
  /** What is still to be charged of it, commission included. */
  readonly owed: Clp;
}

/** All orders under a RUT, oldest first. */
export async function patientOrders(db: Database, person: PersonKey): Promise<PatientOrderRecord[]> {
  const found: PatientOrderRecord[] = [];
  for (const { providerId, providerName, id } of await readOrderKeys(db, person)) {
    const order = await findOrder(db, { providerId, id });
    if (order !== null) found.push({ providerName, order, owed: await owedNow(db, order) });
  }
  return found;
}

export function factsOf({ order, owed }: PatientOrderRecord): OrderFacts {
  return {
    state: order.state,
    owed,
    hasPayments: order.payments.length > 0,
    isBusy: [...order.payments, ...order.refunds].some(({ status }) => status === "processing"),
  };
}
