import type { Order, PatientOrder } from "../contract/orders.ts";
import type { Principal } from "../platform/provider.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { wasPaid } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";
import { partnerOrder, patientOrder } from "./order-view.ts";

/** The order as the caller's credential may see it. `now` is in the provider's time. */
export async function showOrder(
  dependencies: Pick<OrdersDependencies, "db" | "related">,
  principal: Principal,
  order: OrderRecord,
  now: Date,
): Promise<Order | PatientOrder> {
  if (principal.credential !== "client_secret") return showToPatient(dependencies, order, now);
  return showToPartner(dependencies, order, now);
}

/** The order as its patient sees it; once it is paid, with what they have still to do and what they have withdrawn. */
export async function showToPatient(
  { db, related }: Pick<OrdersDependencies, "db" | "related">,
  order: OrderRecord,
  now: Date,
): Promise<PatientOrder> {
  const view = patientOrder(order, now);
  if (!wasPaid(order.state)) return view;
  const [{ missing_step }, mandate_revoked, upcoming_charge] = await Promise.all([
    related.filingOf(db, order),
    related.isMandateRevoked(db, order),
    related.upcomingChargeOf(db, order, now),
  ]);
  return { ...view, missing_step, mandate_revoked, upcoming_charge, signed_receipt: related.signedReceiptOf(order) };
}

/** The order as its partner sees it, with the parts that other features contribute. */
export async function showToPartner(
  { db, related }: Pick<OrdersDependencies, "db" | "related">,
  order: OrderRecord,
  now: Date,
): Promise<Order> {
  const { providerId, orderId: id } = order;
  const [expense, collection, filing] = await Promise.all([
    related.expenseOf(db, providerId, id),
    related.collectionOf(db, order),
    wasPaid(order.state) ? related.filingOf(db, order) : NOT_FILED,
  ]);
  return partnerOrder(order, { expense, collection, ...filing }, now);
}

const NOT_FILED = { claim: null, missing_step: null } as const;
