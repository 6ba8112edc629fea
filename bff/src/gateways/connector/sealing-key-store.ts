import { sql } from "kysely";
import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { Database } from "../../platform/database/transaction.ts";

export interface HeardKey {
  readonly key: SealingKey;
  readonly heardAt: Date;
}

/** Where the last key of one party is kept, for processes that start while the party is away. */
export interface KeptSealingKey {
  read(): Promise<HeardKey | null>;
  keep(heard: HeardKey): Promise<void>;
}

export function keptSealingKey(db: Database, party: string): KeptSealingKey {
  return {
    async read() {
      const { rows } = await sql<HeardKey>`
        select key, heard_at as "heardAt" from sealing_keys where party = ${party}`.execute(db);
      return rows[0] ?? null;
    },
    async keep({ key, heardAt }) {
      await sql`
        insert into sealing_keys as kept (party, key, heard_at)
        values (${party}, ${JSON.stringify(key)}::jsonb, ${heardAt}::timestamptz)
        on conflict (party) do update set key = excluded.key, heard_at = excluded.heard_at
        where kept.heard_at < excluded.heard_at`.execute(db);
    },
  };
}
