import { type Kysely, sql } from "kysely";
import type { Tables } from "../src/platform/database/tables.ts";

/** All rows of an order, by table. Two readings are equal if nothing changed the order in between. */
export async function rowsOfOrder(db: Kysely<Tables>, orderId: string): Promise<Record<string, readonly unknown[]>> {
  const tables = await sql<{ name: string; column: string }>`
    select table_name as name, column_name as column from information_schema.columns join information_schema.tables
      using (table_catalog, table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'uuid'
      and (column_name = 'order_id' or (table_name = 'orders' and column_name = 'id'))
    order by table_name`.execute(db);
  const found: Record<string, readonly unknown[]> = {};
  for (const { name, column } of tables.rows) {
    const { rows } = await sql<{ row: unknown }>`
      select to_json(t) as row from ${sql.table(name)} t where ${sql.ref(`t.${column}`)} = ${orderId} order by t::text`.execute(
      db,
    );
    if (rows.length > 0) found[name] = rows.map(({ row }) => row);
  }
  return found;
}
