import { sql } from "kysely";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/** One provider's part of a deposit of Transbank. `lines` are of the protocol, as JSON. */
export interface StoredSettlement {
  readonly depositId: string;
  readonly providerId: string;
  readonly at: Date;
  readonly amount: number;
  readonly lines: unknown;
}

/** Returns false if this part is already stored, because a settlement never changes. */
export async function insertSettlement(tx: Transaction, settlement: StoredSettlement): Promise<boolean> {
  const { depositId, providerId, at, amount, lines } = settlement;
  const { rows } = await sql`
    insert into settlements (deposit_id, provider_id, at, amount, lines)
    values (${depositId}, ${providerId}, ${at}::timestamptz, ${amount}, ${JSON.stringify(lines)}::jsonb)
    on conflict do nothing returning deposit_id
  `.execute(tx);
  return rows.length > 0;
}

export async function listSettlements(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<readonly StoredSettlement[]> {
  const { rows } = await sql<StoredSettlement>`
    select deposit_id as "depositId", provider_id as "providerId", at, amount, lines from settlements
    where provider_id = ${providerId} and at >= ${from}::timestamptz and at < ${to}::timestamptz
    order by at, deposit_id
  `.execute(db);
  return rows;
}
