import { sql } from "kysely";
import type { Tables } from "./database/tables.ts";
import type { Database } from "./database/transaction.ts";

/** Rows of a table that have an earlier time in one of its columns. */
export interface RowsBefore<Table extends keyof Tables = keyof Tables> {
  readonly table: Table;
  readonly column: keyof Tables[Table] & string;
  readonly before: Date;
}

/** Deletes at most `limit` of the oldest rows and returns how many. Skips rows that another transaction has locked. */
export async function deleteBefore<Table extends keyof Tables>(
  db: Database,
  { table, column, before }: RowsBefore<Table>,
  limit: number,
): Promise<number> {
  const [rows, time] = [sql.table(table), sql.ref(column)];
  const { numAffectedRows } = await sql`
    delete from ${rows} where ctid = any(array(
      select ctid from ${rows} where ${time} < ${before} order by ${time} limit ${limit} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows ?? 0);
}
