import { sql } from "kysely";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";

/** Restores the service's tables to the copy. The outside parties' own tables stay unchanged. */
export type Restore = () => Promise<void>;

/** Copies all of the service's tables, like a backup, so that later changes can be undone. */
export async function keepBackup(db: Database, name: string): Promise<Restore> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'sandbox%'
      and relname <> 'schema_migrations'`.execute(db);
  const kept = tables.map(({ name: table }) => [sql.table(table), sql.table(`${name}.${table}`)] as const);
  await inTransaction(db, async (tx) => {
    // A single snapshot, regardless of concurrent writes.
    await sql`set transaction isolation level repeatable read`.execute(tx);
    await sql`create schema ${sql.id(name)}`.execute(tx);
    for (const [table, copy] of kept) await sql`create table ${copy} as table ${table}`.execute(tx);
  });
  return () =>
    inTransaction(db, async (tx) => {
      // Foreign keys are not checked, because the copy is consistent in itself.
      await sql`set local session_replication_role = replica`.execute(tx);
      for (const [table, copy] of kept) {
        await sql`delete from ${table}`.execute(tx);
        await sql`insert into ${table} overriding system value table ${copy}`.execute(tx);
      }
    });
}
