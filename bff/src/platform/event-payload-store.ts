import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "./database/transaction.ts";

/** Writes something else in place of parts of the order that the events of some orders show, where they show its customer. */
export async function overwriteOrderInEvents(
  tx: Transaction,
  orders: readonly { readonly providerId: string; readonly id: string }[],
  parts: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): Promise<void> {
  if (orders.length === 0) return;
  const payload = parts.reduce<RawBuilder<unknown>>(
    (written, { path, value }) =>
      sql`jsonb_set(${written}, ${["order", ...path]}::text[], ${JSON.stringify(value)}::jsonb)`,
    sql`payload`,
  );
  await sql`
    update events set payload = ${payload}
    from unnest(${orders.map(({ providerId }) => providerId)}::uuid[], ${orders.map(({ id }) => id)}::uuid[])
      as emptied (provider_id, id)
    where events.provider_id = emptied.provider_id and events.order_id = emptied.id and payload -> 'order' ? 'customer'
  `.execute(tx);
}
