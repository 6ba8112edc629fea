import type { Order, PatientOrder } from "../../contract/orders.ts";
import { readOrderHash } from "../../contract/vocabulary/identifiers.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { LoadedAtOnce, LoadedBeside } from "../../platform/http/route.ts";
import type { Principal } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderRecord } from "./order-record.ts";
import { readOrder, readOrderAtOnce } from "./order-store.ts";
import { partnerOrder, patientOrder } from "./order-view.ts";

/** The provider's own order; throws 404 `order_not_found` for an unknown, malformed or foreign hash alike. */
export async function loadOrder(db: Database, principal: Principal, hash: string): Promise<OrderRecord> {
  const id = readOrderHash(hash);
  const order = id === null ? null : await readOrder(db, { providerId: principal.provider.id, id });
  if (order === null) throw new ApiError("order_not_found");
  return order;
}

/** The same, confirming the caller and letting the request in by the same statement; `null` where there is anything to refuse. */
export async function loadOrderAtOnce(
  db: Database,
  { provider }: Principal,
  hash: string,
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OrderRecord> | null> {
  const id = readOrderHash(hash);
  return id === null ? null : readOrderAtOnce(db, { providerId: provider.id, id }, beside);
}

/** The order as the caller's credential may see it. `now` is the provider's time. */
export async function showOrder(
  dependencies: Pick<OrdersDependencies, "db" | "related">,
  principal: Principal,
  order: OrderRecord,
  now: Date,
): Promise<Order | PatientOrder> {
  if (principal.credential !== "client_secret") return patientOrder(order, now);
  return showToPartner(dependencies, order, now);
}

/** The order as its partner sees it, with what other features know of it. */
export async function showToPartner(
  { db, related }: Pick<OrdersDependencies, "db" | "related">,
  order: OrderRecord,
  now: Date,
): Promise<Order> {
  const { providerId, id } = order;
  const [expense, collection] = await Promise.all([
    related.expenseOf(db, providerId, id),
    related.collectionOf(db, providerId, id),
  ]);
  return partnerOrder(order, { expense, collection }, now);
}
