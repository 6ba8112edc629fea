import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database/transaction.ts";
import { dispatchKind } from "./outbox.ts";
import type { TimelineOrder, TimelinePart, TimelineRow, TimerName } from "./timeline.ts";

/** The platform's own entries about an order: its events, and the acts of operators and credentials. */
export const platformTimeline: TimelinePart = {
  kinds: {
    event: "An event was published.",
    "waits.event": "An event has not been dispatched yet.",
    act: "A person or a credential did something that is audited.",
  },
  happened: ({ providerId, orderId }) => [
    sql`
      select 'event' as what, created_at as at, id::text as subject, null::bigint as amount,
        jsonb_strip_nulls(jsonb_build_object('kind', kind, 'sequence', sequence)) as facts
      from events where order_id = ${orderId}::uuid and provider_id = ${providerId}::uuid and sequence is not null`,
    sql`
      select 'event', created_at, id::text, null::bigint, jsonb_build_object('kind', kind)
      from events where order_id = ${orderId}::uuid and provider_id = ${providerId}::uuid and sequence is null`,
    sql`
      select 'act', at, id::text, null::bigint, jsonb_build_object('act', act, 'by', actor)
      from audit_log where subject_kind = 'order' and subject_id = ${orderId}::text
        and provider_id = ${providerId}::uuid and act <> ${ORDER_SEEN}`,
  ],
  // What an event starts, such as the collection of a paid order, is not listed before its dispatch.
  waits: ({ providerId, orderId }) =>
    // Each condition has its own index.
    [sql`e.sequence is not null`, sql`e.sequence is null`].map(
      (numbered) => sql<TimelineRow>`
        select 'waits.event' as what, e.created_at as at, e.id::text as subject, null::bigint as amount,
          jsonb_build_object('kind', e.kind) as facts
        from events e join timers t on t.kind = ${dispatchKind} and t.key = e.id::text
        where e.order_id = ${orderId}::uuid and ${numbered} and e.provider_id = ${providerId}::uuid
          and t.done_at is null`,
    ),
};

/** The act of an audit row about an operator who looked at an order. */
export const ORDER_SEEN = "order.seen";

/** An order's published events, for statements of other features: `id`, `provider_id`, `created_at`. */
export function publishedEvents({ orderId }: TimelineOrder): RawBuilder<unknown> {
  return sql`select id, provider_id, created_at from events where order_id = ${orderId}::uuid and sequence is not null`;
}

/** The rows of several queries, oldest first. Rows with the same timestamp are in the order of the queries. */
export async function selectTimelineRows(
  db: Database,
  queries: readonly RawBuilder<TimelineRow>[],
): Promise<TimelineRow[]> {
  const numbered = queries.map(
    (rows, place) => sql`select ${place}::int as place, row_number() over () as line, entry.* from (${rows}) as entry`,
  );
  const { rows } = await sql<TimelineRow>`
    select what, at, subject, amount, facts from (${sql.join(numbered, sql` union all `)}) as entries
    order by at, place, line`.execute(db);
  return rows;
}

/** A pending timer, with its due time in real time. */
export interface PendingTimer extends TimerName {
  readonly dueAt: Date;
  readonly attempts: number;
  readonly leaseUntil: Date | null;
}

/** The pending ones among these timers, earliest first. */
export async function selectPendingTimers(
  db: Database,
  names: readonly RawBuilder<TimerName>[],
): Promise<PendingTimer[]> {
  const { rows } = await sql<PendingTimer>`
    select timers.kind, timers.key, due_at as "dueAt", attempts, lease_until as "leaseUntil"
    from (${sql.join(names, sql` union `)}) as named
    join timers on timers.kind = named.kind and timers.key = named.key
    where done_at is null order by due_at, timers.kind, timers.key`.execute(db);
  return rows;
}
