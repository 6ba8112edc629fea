import { type RawBuilder, sql } from "kysely";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import { emailKey } from "../../contract/vocabulary/email.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { OrdersOfPatient } from "../../platform/personal-data.ts";
import type { OrderState } from "../order.ts";

/** The filters and the position of one page of a provider's orders. Null filters nothing. */
export interface OrdersPage {
  readonly providerId: string;
  readonly reference: string | null;
  readonly rut: Rut | null;
  readonly states: readonly OrderState[] | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
  /** The order after which the page starts. */
  readonly after: OrderId | null;
  readonly limit: number;
}

/** The maximum number of orders that one page scans, which limits the cost of a filter that few orders pass. */
export const ORDERS_SCANNED_MAX = 2_000;

/**
 * The hashes of at most `limit` orders, newest first. `scannedTo` is the last order looked at, or null if that is the
 * last order of all.
 */
export async function selectOrdersPage(
  db: Database,
  { providerId, reference, rut, states, createdFrom, createdBefore, after, limit }: OrdersPage,
): Promise<{ readonly found: readonly { readonly id: OrderId }[]; readonly scannedTo: OrderId | null }> {
  const conditions = [
    sql`provider_id = ${providerId}::uuid`,
    ...(reference === null ? [] : [sql`environment in ('staging', 'production') and reference = ${reference}`]),
    ...(rut === null ? [] : [sql`customer_rut = ${rut}`]),
    ...(createdFrom === null ? [] : [sql`created_at >= ${createdFrom}::timestamptz`]),
    ...(createdBefore === null ? [] : [sql`created_at < ${createdBefore}::timestamptz`]),
    ...(after === null
      ? []
      : [
          sql`(created_at, id) < (select created_at, id from orders where provider_id = ${providerId}::uuid and id = ${after}::uuid)`,
        ]),
  ];
  const matches = states === null ? sql`true` : sql`state = any(${[...states]}::text[])`;
  const { rows } = await sql<{ found: { id: OrderId }[]; scanned: number; last: OrderId | null }>`
    with scanned as materialized (
      select id, state, created_at from orders where ${sql.join(conditions, sql` and `)}
      order by created_at desc, id desc limit ${ORDERS_SCANNED_MAX}
    ), matching as (
      select id, created_at from scanned where ${matches} order by created_at desc, id desc limit ${limit}
    )
    select coalesce((select json_agg(m order by m.created_at desc, m.id desc) from matching as m), '[]') as found,
      (select count(*)::int from scanned) as scanned,
      (select id from scanned order by created_at, id limit 1) as last`.execute(db);
  const { found = [], scanned = 0, last = null } = rows[0] ?? {};
  return { found, scannedTo: scanned === ORDERS_SCANNED_MAX ? last : null };
}

export interface FoundOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly reference: string;
  readonly state: OrderState;
  readonly total: Clp;
  readonly createdAt: Date;
}

/** The identifiers that a search text may be. */
interface OrderSearch {
  readonly reference: string;
  readonly orderId: OrderId | null;
  /** The first eight digits of an order's hash, as the console shows them. */
  readonly shortHash: string | null;
  readonly rut: Rut | null;
  readonly email: string | null;
}

interface Searching {
  readonly search: OrderSearch;
  readonly providerIds: readonly string[];
  readonly limit: number;
}

/** Each way to find an order uses a separate index. A hash or reference is looked up for each provider. */
export async function selectFoundOrders(
  db: Database,
  { search: { reference, orderId, shortHash, rut, email }, providerIds, limit }: Searching,
): Promise<FoundOrder[]> {
  const ofProviders = sql`provider_id = any(${providerIds}::uuid[])`;
  const ways = [
    sql`select * from orders where ${ofProviders} and environment in ('staging', 'production') and reference = ${reference}`,
  ];
  if (orderId !== null) ways.push(sql`select * from orders where ${ofProviders} and id = ${orderId}::uuid`);
  if (shortHash !== null)
    ways.push(
      sql`select * from orders where ${ofProviders} and id >= ${`${shortHash}-0000-0000-0000-000000000000`}::uuid
        and id <= ${`${shortHash}-ffff-ffff-ffff-ffffffffffff`}::uuid`,
    );
  if (rut !== null) ways.push(sql`select * from orders where ${ofProviders} and customer_rut = ${rut}`);
  if (email !== null)
    ways.push(
      sql`select * from orders where ${ofProviders} and lower(customer_email collate "C") = ${emailKey(email)}`,
    );
  const { rows } = await sql<FoundOrder>`
    select distinct provider_id as "providerId", id as "orderId", reference, state, total, created_at as "createdAt"
    from (${sql.join(ways, sql` union all `)}) as found
    order by created_at desc, id limit ${limit}`.execute(db);
  return rows;
}

/* Sets of orders as SQL, for statements of other rooms. */

/** Fully refunded orders: `provider_id, id, updated_at`, the last being the time of the refund. */
export const refundedOrderKeys: RawBuilder<unknown> = sql`
  select provider_id, id, updated_at from orders where state = 'refunded'`;

/** Partly refunded orders: `provider_id, id, refunded, updated_at`, the last being the time of the last refund. */
export const partlyRefundedOrderKeys: RawBuilder<unknown> = sql`
  select o.provider_id, o.id, o.refunded, max(r.updated_at) as updated_at
  from orders o join order_refunds r on r.provider_id = o.provider_id and r.order_id = o.id and r.status <> 'processing'
  where o.state = 'partially_refunded' group by o.provider_id, o.id`;

/** The partner's own ids of some of its orders. */
export async function selectReferences(
  db: Database,
  { providerId, orderIds }: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<ReadonlyMap<OrderId, string>> {
  const { rows } = await sql<{ id: OrderId; reference: string }>`
    select id, reference from orders where provider_id = ${providerId} and id = any(${orderIds}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, reference }) => [id, reference]));
}

/** A patient's orders: `provider_id, id`. */
export function patientOrderKeys({ rut, addressedTo }: OrdersOfPatient): RawBuilder<unknown> {
  return sql`select provider_id, id from orders where customer_rut = ${rut} and ${isAddressedTo(addressedTo)}`;
}

export function isAddressedTo(mailbox: string | null): RawBuilder<boolean> {
  return mailbox === null ? sql<boolean>`true` : sql<boolean>`lower(customer_email collate "C") = ${emailKey(mailbox)}`;
}
