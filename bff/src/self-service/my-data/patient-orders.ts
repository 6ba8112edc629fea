import { owedNow } from "../../collection/upcoming-charge.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import { sameEmail } from "../../contract/vocabulary/email.ts";
import type { LegalTextName } from "../../contract/vocabulary/legal-text.ts";
import { type CreditRefusal, patientOrders } from "../../orders/operations.ts";
import { findOrders } from "../../orders/order-reads.ts";
import type { OrderRecord, PaymentStatus } from "../../orders/order-record.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { providerNames } from "../../tenants/providers.ts";
import type { OrderFacts, Proof } from "./rights.ts";

/** One of a patient's orders, at any clinic. */
export interface PatientOrderRecord {
  readonly providerName: string;
  readonly order: OrderRecord;
  /** The amount left to charge, commission included. */
  readonly owed: Clp;
  readonly creditRefusal: CreditRefusal | null;
  readonly agreement: readonly LegalTextName[] | null;
}

/**
 * The orders that the requester may see and act on, oldest first. With a proof of identity these are all orders under
 * the RUT; with a proof of the mailbox, those that the clinic addressed to it. A submitted receipt is no proof, because
 * clinics submit receipts by the RUT alone.
 */
export async function ordersInSight(
  db: Database,
  { tenant, rut, email }: Pick<Beneficiary, "tenant" | "rut"> & { readonly email: string | null },
  proof: Proof,
): Promise<PatientOrderRecord[]> {
  const keys = await patientOrders(db, { tenant, rut });
  const names = await providerNames(
    db,
    keys.map(({ providerId }) => providerId),
  );
  const orders = await findOrders(
    db,
    keys.map(({ providerId, id: orderId }) => ({ providerId, orderId })),
  );
  const known = new Map(keys.map((key) => [key.id, key]));
  return orders
    .filter(({ customer }) => proof === "identity" || (email !== null && sameEmail(customer.email, email)))
    .map((order) => ({
      providerName: names.get(order.providerId) ?? "",
      order,
      owed: owedNow(order),
      creditRefusal: known.get(order.orderId)?.creditRefusal ?? null,
      agreement: known.get(order.orderId)?.agreement ?? null,
    }));
}

/** Declined and failed payments are absent, because they moved no money. */
const MOVES_MONEY: readonly PaymentStatus[] = ["processing", "captured", "undone"];

export function factsOf({ order, owed, creditRefusal }: PatientOrderRecord): OrderFacts {
  return {
    state: order.state,
    isCreditRefused: creditRefusal !== null,
    owed,
    hasPayments: order.payments.some(({ status }) => MOVES_MONEY.includes(status)),
    isBusy: [...order.payments, ...order.refunds].some(({ status }) => status === "processing"),
  };
}
