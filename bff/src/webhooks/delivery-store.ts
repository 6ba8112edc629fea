import { sql } from "kysely";
import type { WebhookEventKind } from "../contract/webhook-events.ts";
import type { WebhookAttemptsRow } from "../platform/database/tables.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type AttemptFailure, retryKind } from "./delivery-schedule.ts";

export type DeliveryStatus = "queued" | "scheduled" | "delivered" | "exhausted" | "dropped";
/** The kind of a delivery: one of the kinds of an event, or a test. */
export type DeliveryKind = WebhookEventKind | "endpoint.test";

/** A delivery as its owner sees it. */
export interface ShownDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly kind: DeliveryKind;
  readonly orderId: string | null;
  readonly sequence: number | null;
  readonly status: DeliveryStatus;
  readonly createdAt: Date;
  /** In the provider's own time; null if no further attempt follows. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: WebhookAttemptsRow["outcome"];
  readonly failure: AttemptFailure | null;
  readonly status: number | null;
  readonly answer: string | null;
}

export interface DeliveryQuery {
  readonly endpointId: string;
  /** The delivery of the endpoint after which the page starts; null for the newest. */
  readonly after: string | null;
  readonly statuses: readonly DeliveryStatus[];
  readonly limit: number;
}

/** Deliveries of an endpoint with all their attempts, newest first. */
export async function selectDeliveries(db: Database, query: DeliveryQuery): Promise<ShownDelivery[]> {
  const { rows } = await sql<ShownDelivery>`
    with page as (
      select d.* from webhook_deliveries d
      where d.endpoint_id = ${query.endpointId} and d.status = any(${[...query.statuses]}::text[])
        and (${query.after}::uuid is null or (d.created_at, d.id) < (
          select a.created_at, a.id from webhook_deliveries a where a.id = ${query.after}::uuid
        ))
      order by d.created_at desc, d.id desc
      limit ${query.limit}
    )
    select d.id, d.webhook_id as "webhookId", d.kind, d.order_id as "orderId", d.sequence, d.status, d.created_at as "createdAt",
      (case when d.status = 'queued' then d.queued_at
        else (select t.due_at from timers t where t.kind = ${retryKind} and t.key = d.id::text || ':' || d.attempts::text)
        end) + p.clock_offset_ms * interval '1 millisecond' as "nextAttemptAt"
    from page d join providers p on p.id = d.provider_id
    order by d.created_at desc, d.id desc
  `.execute(db);
  const attempts = await selectAttempts(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
}

async function selectAttempts(db: Database, ids: readonly string[]): Promise<Map<string, ShownAttempt[]>> {
  const byDelivery = new Map<string, ShownAttempt[]>();
  const rows = await db
    .selectFrom("all_webhook_attempts")
    .selectAll()
    .where(sql<boolean>`delivery_id = any(${[...ids]}::uuid[])`)
    .orderBy("number")
    .execute();
  for (const row of rows) {
    const shown = byDelivery.get(row.delivery_id) ?? [];
    const { number, outcome, status, answer } = row;
    const failure = row.failure as AttemptFailure | null;
    shown.push({ number, outcome, failure, status, answer, startedAt: row.started_at, endedAt: row.ended_at });
    byDelivery.set(row.delivery_id, shown);
  }
  return byDelivery;
}

export async function hasDelivery(db: Database, endpointId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}
