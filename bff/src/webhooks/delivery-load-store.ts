import { sql } from "kysely";
import type { Database } from "../platform/database/transaction.ts";

/** For how many seconds the oldest delivery waits for an attempt; null: none does. */
export async function selectDeliveryLag(db: Database, now: Date): Promise<number | null> {
  const { rows } = await sql<{ lag: number | null }>`
    select extract(epoch from ${now}::timestamptz - min(d.queued_at))::double precision as lag
    from webhook_endpoints e
    cross join lateral (
      select queued_at from webhook_deliveries where endpoint_id = e.id and status = 'queued'
      order by queued_at limit 1) as d
    where e.paused_at is null and e.deleted_at is null`.execute(db);
  return rows[0]?.lag ?? null;
}
