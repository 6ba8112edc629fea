import { sql } from "kysely";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";

/** Puts the service's tables back to what they held. The outside parties' own tables stay as they are. */
export type Restore = () => Promise<void>;

/** Keeps a copy of all that the service has written, as a backup would; what comes after it can then be lost. */
export async function keepBackup(db: Database, name: string): Promise<Restore> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'sandbox%'
      and relname <> 'schema_migrations'`.execute(db);
  const kept = tables.map(({ name: table }) => [sql.table(table), sql.table(`${name}.${table}`)] as const);
  await inTransaction(db, async (tx) => {
    // Of one moment, whatever is written meanwhile.
    await sql`set transaction isolation level repeatable read`.execute(tx);
    await sql`create schema ${sql.id(name)}`.execute(tx);
    for (const [table, copy] of kept) await sql`create table ${copy} as table ${table}`.execute(tx);
  });
  return () =>
    inTransaction(db, async (tx) => {
      // Foreign keys are not checked: the copy is consistent in itself.
      await sql`set local session_replication_role = replica`.execute(tx);
      for (const [table, copy] of kept) {
        await sql`delete from ${table}`.execute(tx);
        await sql`insert into ${table} overriding system value table ${copy}`.execute(tx);
      }
    });
}
