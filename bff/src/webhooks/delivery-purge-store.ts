import { sql } from "kysely";
import type { Database } from "../platform/database/transaction.ts";

/** The position of a scan over an endpoint's deliveries, oldest first. */
export interface DeliveryPlace {
  readonly createdAt: Date;
  readonly id: string;
}

/** The place before every delivery. */
export const FIRST_PLACE: DeliveryPlace = { createdAt: new Date(0), id: "00000000-0000-0000-0000-000000000000" };

/** Every endpoint, including deleted ones. */
export async function selectAllEndpointIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom("webhook_endpoints").select("id").execute();
  return rows.map(({ id }) => id);
}

export interface OldDeliveries {
  readonly endpointId: string;
  readonly before: Date;
  readonly after: DeliveryPlace;
  readonly limit: number;
}

/**
 * Passes at most `limit` deliveries that were created before a moment, and deletes those that had ended before it, with
 * their attempts. Uses the index of the partners' list, so that deliveries need no further index. Returns its position,
 * so that the next call need not pass waiting deliveries again.
 */
export async function deleteEnded(
  db: Database,
  { endpointId, before, after, limit }: OldDeliveries,
): Promise<{ readonly passed: number; readonly deleted: number; readonly last: DeliveryPlace }> {
  const { rows } = await sql<{ passed: number; deleted: number; created_at: Date | null; id: string | null }>`
    with page as (
      select id, created_at from webhook_deliveries
      where endpoint_id = ${endpointId}::uuid and created_at < ${before}
        and (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
      order by created_at, id limit ${limit}
    ),
    old as (
      select id from webhook_deliveries where id in (select id from page) and ended_at < ${before} for update skip locked
    ),
    attempts as (delete from webhook_attempts where delivery_id in (select id from old)),
    gone as (delete from webhook_deliveries where id in (select id from old) returning 1)
    select (select count(*) from page)::int as passed, (select count(*) from gone)::int as deleted, last.created_at, last.id
    from (select 1) as once left join (select created_at, id from page order by created_at desc, id desc limit 1) as last on true
  `.execute(db);
  const [row] = rows;
  if (row === undefined || row.created_at === null || row.id === null) return { passed: 0, deleted: 0, last: after };
  return { passed: row.passed, deleted: row.deleted, last: { createdAt: row.created_at, id: row.id } };
}
