import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database/transaction.ts";

/*
 * The connector of each party whose calls must happen once. It keeps their idempotency keys, so another one neither
 * repeats nor inquires about them: without an outcome each becomes an exception that names its connector.
 */

/** Records the connectors of this process, by party. Returns those that they replace. */
export async function writePartyConnectors(
  db: Database,
  connectors: Readonly<Record<string, string>>,
): Promise<{ readonly party: string; readonly before: string; readonly now: string }[]> {
  const { rows } = await sql<{ party: string; before: string; now: string }>`
    with given as (
      select * from unnest(${Object.keys(connectors)}::text[], ${Object.values(connectors)}::text[]) as g (party, name)
    ), written as (
      insert into party_connectors as c (party, current_connector) select party, name from given
      on conflict (party) do update set current_connector = excluded.current_connector
        where c.current_connector <> excluded.current_connector
    )
    select party, c.current_connector as before, given.name as now
    from party_connectors c join given using (party) where c.current_connector <> given.name
  `.execute(db);
  return rows;
}

/** The connector in `column` if it is not the present one of `party`, otherwise null. */
export function otherConnector(
  column: RawBuilder<unknown>,
  party: "cardProcessor" | "financingProvider" | "insurer" | "bank" | "taxDocuments" | RawBuilder<unknown>,
): RawBuilder<unknown> {
  const name = typeof party === "string" ? sql`${party}::text` : party;
  return sql`(select ${column} from party_connectors where party = ${name} and current_connector <> ${column})`;
}
