import type { RawBuilder } from "kysely";
import { type OrderId, readOrderId } from "../contract/vocabulary/identifiers.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import type { AboutPayment } from "../notifications/notification-definition.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { namedPatient } from "../patients/patients.ts";
import { columnsTogether, type PresentColumn, type ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import { type Loading, loading, type ReceivedRequest, type RequestSubject } from "../platform/http/route.ts";
import type { Environment, Provider } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { parseTraceparent } from "../platform/tracing/traceparent.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { namedTexts } from "./legal-texts.ts";
import type { OrderRecord } from "./order-record.ts";
import {
  lockOrderState,
  type OrderInStatement,
  type OrderKey,
  orderColumn,
  ownOrderColumn,
  ownOrderWith,
  requireFound,
  selectForOrders,
  selectOrder,
  selectOrders,
} from "./order-store.ts";
import {
  type FoundOrder,
  partlyRefundedOrderKeys,
  refundedOrderKeys,
  selectFoundOrders,
  selectReferences,
} from "./search/order-search-store.ts";

/** The provider's own order with its payments and refunds; `null` if the provider has none with this hash. */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return selectOrder(db, key);
}

/** Several orders with their payments and refunds, in the sequence of `keys`, without those that do not exist. */
export function findOrders(db: Database, keys: readonly OrderKey[]): Promise<OrderRecord[]> {
  return selectOrders(db, keys);
}

export type { OrderInStatement } from "./order-store.ts";

/** Reads a column of another feature for each of these orders, in their sequence, by one statement. */
export function readForOrders<Value>(
  db: Database,
  orders: readonly OrderRecordKey[],
  columnOf: (order: OrderInStatement) => PresentColumn<Value>,
): Promise<Value[]> {
  return selectForOrders(db, orders, columnOf);
}

/** Reads a column of another feature for an order. */
export async function readForOrder<Value>(
  db: Database,
  order: OrderRecordKey,
  columnOf: (order: OrderInStatement) => PresentColumn<Value>,
): Promise<Value> {
  const [value] = await selectForOrders(db, [order], columnOf);
  return requireFound(value ?? null);
}

/**
 * Locks an order until the end of the transaction and reads it. The order must exist, because another row refers to it.
 * Payments, refunds and the collection take this lock before any other row of the order, to avoid interleaving and
 * deadlocks.
 */
export async function lockOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  // Two statements, because one that waits for the lock still reads payments and refunds as of its start.
  await lockOrderState(tx, key);
  return requireFound(await selectOrder(tx, key));
}

/** The part of an order that names its rows in other features. */
type OrderRecordKey = Pick<OrderRecord, "providerId" | "orderId" | "customer">;

/** An order as a column of another feature's statement, for a row that refers to it. */
export function namedOrder(key: {
  readonly providerId: StatementPart;
  readonly id: StatementPart;
}): ReadColumn<OrderRecord> {
  return orderColumn(key);
}

/** Fully refunded orders as SQL for another feature's statement: `provider_id, id, updated_at`. */
export const refundedOrders: RawBuilder<unknown> = refundedOrderKeys;

/** Partly refunded orders as SQL for another feature's statement: `provider_id, id, refunded, updated_at`. */
export const partlyRefundedOrders: RawBuilder<unknown> = partlyRefundedOrderKeys;

/** The partner's own ids of some of its orders. */
export function orderReferences(
  db: Database,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<ReadonlyMap<OrderId, string>> {
  return selectReferences(db, requested);
}

/** The ids for the log lines of a request about an order, and the trace that it joins unless its caller sends one. */
function subjectOf({ orderId, traceparent }: Pick<OrderRecord, "orderId" | "traceparent">): RequestSubject {
  return { subject: { order_id: orderId }, trace: parseTraceparent(traceparent) };
}

/** Loads the caller's own order from the path. An unknown, malformed or foreign hash gets the same 404. */
export function orderInPath({ params }: Pick<ReceivedRequest, "params">): Loading<OrderRecord> {
  return loadOwnOrder(readOrderId(params.hash ?? ""));
}

/** Loads the caller's own order; 404 `order_not_found` if there is none. */
export function loadOwnOrder(id: OrderId | null): Loading<OrderRecord> {
  return loading(ownOrderColumn(id), "order_not_found", subjectOf);
}

/** Loads the caller's own order from the path, with the other data that its payment needs. */
export function payableOrderInPath(environment: Environment) {
  return ({ params }: Pick<ReceivedRequest, "params">): Loading<PayableOrder> =>
    loading<PayableOrder>(
      ownOrderWith(readOrderId(params.hash ?? ""), (of) =>
        columnsTogether({ texts: namedTexts(environment), beneficiary: namedPatient({ environment, ...of }) }),
      ),
      "order_not_found",
      ({ order }) => subjectOf(order),
    );
}

/** The caller's own order with the other data that its payment needs. */
export interface PayableOrder {
  readonly order: OrderRecord;
  /** The names of the operator's current texts. */
  readonly texts: readonly LegalTextName[] | null;
  /** The order's patient; null if they are not registered. */
  readonly beneficiary: Beneficiary | null;
}

/** The maximum number of orders that one search returns. */
export const ORDERS_FOUND_MAX = 50;

export type { FoundOrder } from "./search/order-search-store.ts";

/** The kind of personal identifier in a search text; null if it contains none. */
export function personNamedBy(text: string): "rut" | "email" | null {
  if (readRut(text) !== null) return "rut";
  return text.includes("@") ? "email" : null;
}

/**
 * The orders of these providers with this hash (or its first eight digits), reference, RUT or e-mail, newest first. All
 * are searched, because a partner's reference may look like any of them.
 */
export function searchOrders(db: Database, text: string, providers: readonly Provider[]): Promise<FoundOrder[]> {
  const search = {
    reference: text,
    orderId: readOrderId(text),
    shortHash: /^[0-9a-f]{8}$/.test(text) ? text : null,
    rut: readRut(text),
    email: text.includes("@") ? text : null,
  };
  return selectFoundOrders(db, { search, providerIds: providers.map(({ id }) => id), limit: ORDERS_FOUND_MAX });
}

/**
 * The facts that every notification about an order states: the treating clinic, the reference, the day and the card.
 */
export async function aboutOrder(
  db: Database,
  provider: Pick<Provider, "id" | "name">,
  { center, reference, paidAt, payments }: Pick<OrderRecord, "center" | "reference" | "paidAt" | "payments">,
): Promise<Omit<AboutPayment, "consultationDay">> {
  const first = payments.find(({ kind, status }) => kind === "first" && status === "captured");
  return {
    clinic: await nameOfClinic(db, provider, center),
    reference,
    paidOn: paidAt === null ? null : santiagoDay(paidAt),
    cardEnding: paidAt === null ? null : (first?.card.last4 ?? null),
  };
}
