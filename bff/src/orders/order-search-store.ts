import { sql } from "kysely";
import type { Clp } from "../contract/vocabulary/clp.ts";
import { emailKey } from "../contract/vocabulary/email.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { OrderState } from "./order.ts";

export interface FoundOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly reference: string;
  readonly state: OrderState;
  readonly total: Clp;
  readonly createdAt: Date;
}

/** What a searched text may be. */
interface OrderSearch {
  readonly reference: string;
  readonly orderId: OrderId | null;
  readonly rut: Rut | null;
  readonly email: string | null;
}

interface Searching {
  readonly search: OrderSearch;
  readonly providerIds: readonly string[];
  readonly limit: number;
}

/** Each way to find an order reads an index of its own; a hash or a reference is looked up for each provider. */
export async function selectFoundOrders(
  db: Database,
  { search: { reference, orderId, rut, email }, providerIds, limit }: Searching,
): Promise<FoundOrder[]> {
  const ofProviders = sql`provider_id = any(${providerIds}::uuid[])`;
  const ways = [
    sql`select * from orders where ${ofProviders} and environment in ('staging', 'production') and reference = ${reference}`,
  ];
  if (orderId !== null) ways.push(sql`select * from orders where ${ofProviders} and id = ${orderId}::uuid`);
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
