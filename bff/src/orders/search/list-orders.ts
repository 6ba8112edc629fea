import type { ListOrdersQuery } from "../../contract/orders.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { PAGE_MAX } from "../../contract/vocabulary/page.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { pageOf, unknownPlace } from "../../platform/http/list-page.ts";
import { addCalendarDays, santiagoMoment } from "../../platform/santiago-time.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { statesOf } from "../order.ts";
import { findOrder } from "../order-reads.ts";
import type { OrderRecord } from "../order-record.ts";
import { selectOrders } from "../order-store.ts";
import { selectOrdersPage } from "./order-search-store.ts";

/**
 * One page of a provider's orders, newest first. Throws `validation_error` if `after` is not one of its orders, or the
 * days are in the wrong order.
 */
export async function listOrders(
  { db }: Pick<OrdersDependencies, "db">,
  { providerId, query }: { readonly providerId: string; readonly query: ListOrdersQuery },
): Promise<{ readonly orders: readonly OrderRecord[]; readonly next: OrderId | null }> {
  const after = query.after ?? null;
  if (after !== null && (await findOrder(db, { providerId, orderId: after })) === null) throw unknownPlace();
  const limit = Number(query.limit ?? PAGE_MAX);
  const { found, scannedTo } = await selectOrdersPage(db, {
    providerId,
    reference: query.reference ?? null,
    rut: query.rut ?? null,
    states: query.status === undefined ? null : statesOf(query.status),
    ...readDays(query),
    after,
    limit: limit + 1,
  });
  const { entries, next } = pageOf(found, limit);
  const keys = entries.map(({ id: orderId }) => ({ providerId, orderId }));
  return { orders: await selectOrders(db, keys), next: next ?? scannedTo };
}

function readDays({ created_from: from, created_to: to }: Pick<ListOrdersQuery, "created_from" | "created_to">) {
  if (from !== undefined && to !== undefined && to < from) {
    throw new ApiError("validation_error", {
      errors: [{ path: "created_to", message: "must not be before created_from" }],
    });
  }
  return {
    createdFrom: from === undefined ? null : santiagoMoment(from),
    createdBefore: to === undefined ? null : santiagoMoment(addCalendarDays(to, 1)),
  };
}
