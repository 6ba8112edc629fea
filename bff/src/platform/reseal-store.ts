import { sql } from "kysely";
import { type Database, inTransaction } from "./database/transaction.ts";
import type { Keyring } from "./keyring.ts";

/** A column with values sealed by the keyring. Each room lists its own. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  readonly purpose: string;
  /** A column with the keyed hash of the same text, for the same purpose. */
  readonly hashColumn?: string;
}

const AT_ONCE_MAX = 200;

/**
 * Reseals values of older keys with the newest key. It can be stopped and restarted. Returns how many values were
 * resealed.
 */
export async function resealColumn(
  db: Database,
  keyring: Pick<Keyring, "keyIds" | "open" | "seal" | "hmac">,
  column: SealedColumn,
): Promise<number> {
  let count = 0;
  for (let done = AT_ONCE_MAX; done === AT_ONCE_MAX; count += done)
    done = await inTransaction(db, async (tx) => {
      const { table, key, purpose, hashColumn } = column;
      const [name, of] = [sql.ref(column.column), sql.join(key.map((part) => sql.ref(part)))];
      const { rows } = await sql<{ key: string; sealed: string }>`
        select json_build_array(${of})::text as key, ${name} as sealed from ${sql.table(table)}
        where ${name} is not null and split_part(${name}, '.', 1) <> ${keyring.keyIds[0]} limit ${AT_ONCE_MAX} for update
      `.execute(tx);
      for (const { key: found, sealed } of rows) {
        const text = keyring.open(sealed, purpose);
        const hash = hashColumn === undefined ? sql`` : sql`, ${sql.ref(hashColumn)} = ${keyring.hmac(purpose, text)}`;
        await sql`update ${sql.table(table)} set ${name} = ${keyring.seal(text, purpose)}${hash}
          where json_build_array(${of})::text = ${found} and ${name} = ${sealed}`.execute(tx);
      }
      return rows.length;
    });
  return count;
}

/** A value of an older key that is still in the database. */
export interface KeyUse {
  readonly keyId: string;
  readonly table: string;
  readonly column: string;
  readonly count: number;
}

/** Searches every text of every table, so that an unlisted column is found too. */
export async function findOlderKeyUses(db: Database, olderKeyIds: readonly string[]): Promise<KeyUse[]> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = current_schema() and c.data_type = 'text' and t.table_type = 'BASE TABLE'
    order by 1, 2`.execute(db);
  const uses: KeyUse[] = [];
  for (const { table, column } of columns)
    for (const keyId of olderKeyIds) {
      // A keyring value is the key's id, a dot and base64url. In limits, their name and a colon precede it.
      const made = `(^|:)${keyId}[.][A-Za-z0-9_-]{30,}$`;
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} ~ ${made}`.execute(db);
      const count = Number(rows[0]?.count ?? 0);
      if (count > 0) uses.push({ keyId, table, column, count });
    }
  return uses;
}
