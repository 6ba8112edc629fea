import { readOrderId } from "../contract/vocabulary/identifiers.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { type FoundOrder, selectFoundOrders } from "./order-search-store.ts";

/** The most orders that one search finds. */
export const ORDERS_FOUND_MAX = 50;

export type { FoundOrder } from "./order-search-store.ts";

/** By what a search text names a person; null if it names none. */
export function personNamedBy(text: string): "rut" | "email" | null {
  if (readRut(text) !== null) return "rut";
  return text.includes("@") ? "email" : null;
}

/**
 * The orders of these providers with this hash, reference, patient's RUT or patient's e-mail, newest first.
 * Partners choose their references: one may look like a hash, a RUT or an address.
 */
export function searchOrders(db: Database, text: string, providers: readonly Provider[]): Promise<FoundOrder[]> {
  const search = {
    reference: text,
    orderId: readOrderId(text),
    rut: readRut(text),
    email: text.includes("@") ? text : null,
  };
  return selectFoundOrders(db, { search, providerIds: providers.map(({ id }) => id), limit: ORDERS_FOUND_MAX });
}
