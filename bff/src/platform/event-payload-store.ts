import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "./database/transaction.ts";

/**
 * Replaces parts of the order in the payloads of some orders' events, wherever the payload shows the order's customer.
 * Used to erase personal data.
 */
export async function overwriteOrderInEvents(
  tx: Transaction,
  orders: readonly { readonly providerId: string; readonly id: string }[],
  parts: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): Promise<void> {
  if (orders.length === 0) return;
  const payload = parts.reduce<RawBuilder<unknown>>(
    (written, { path, value }) =>
      sql`jsonb_set(${written}, ${["order", ...path]}::text[], ${JSON.stringify(value)}::jsonb, false)`,
    sql`payload`,
  );
  await sql`
    update events set payload = ${payload}
    from unnest(${orders.map(({ providerId }) => providerId)}::uuid[], ${orders.map(({ id }) => id)}::uuid[])
      as emptied (provider_id, id)
    where events.provider_id = emptied.provider_id and events.order_id = emptied.id and payload -> 'order' ? 'customer'
  `.execute(tx);
}
