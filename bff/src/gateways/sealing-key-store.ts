import { sql } from "kysely";
import type { Database } from "../platform/database/transaction.ts";

/** A party's key; `kid` names it, if it has a name. */
export interface NamedKey {
  readonly kid?: string | undefined;
  readonly cardPage?: string | undefined;
}

export interface FetchedKey<Key> {
  readonly key: Key;
  readonly fetchedAt: Date;
}

/** Storage of one party's last key, for processes that start while the party is unavailable. */
export interface KeptSealingKey<Key> {
  read(): Promise<FetchedKey<Key> | null>;
  keep(fetched: FetchedKey<Key>): Promise<void>;
}

export function keptSealingKey<Key>(db: Database, party: string): KeptSealingKey<Key> {
  return {
    async read() {
      const { rows } = await sql<FetchedKey<Key>>`
        select key, heard_at as "fetchedAt" from sealing_keys where party = ${party}`.execute(db);
      return rows[0] ?? null;
    },
    async keep({ key, fetchedAt }) {
      await sql`
        insert into sealing_keys as kept (party, key, heard_at)
        values (${party}, ${JSON.stringify(key)}::jsonb, ${fetchedAt}::timestamptz)
        on conflict (party) do update set key = excluded.key, heard_at = excluded.heard_at
        where kept.heard_at < excluded.heard_at`.execute(db);
    },
  };
}
