import { type RawBuilder, sql } from "kysely";
import { LOCK_CLASSES } from "./database/lock-classes.ts";
import { type Database, inTransaction, type Transaction } from "./database/transaction.ts";
import { dispatchKind, type NewEvent, type StoredEvent } from "./outbox.ts";
import { currentTraceparent } from "./tracing/tracing.ts";

/**
 * Records an event and schedules its dispatch to subscribers, in one statement of the transaction in which it happened.
 * A repeated event id, or a repeated sequence number within an order, violates a unique index (`events_pkey`,
 * `events_order_sequence_key`).
 */
export async function publishEvent(tx: Database, event: NewEvent): Promise<void> {
  await publishEvents(tx, [event]);
}

/** Publishes several events, at least one, in order. */
export async function publishEvents(tx: Database, events: readonly NewEvent[]): Promise<void> {
  await sql`with ${eventsWithDispatch(events)} select 1`.execute(tx);
}

/**
 * Publishes events as the CTEs `event` and `dispatch` of a larger statement: a hot path writes its own rows and
 * the events in one round trip.
 *
 *     sql`with changed as (update orders … returning id), ${eventsWithDispatch(events, "changed")} select … from changed`
 *
 * Nothing is written where the CTE `source` has no row.
 */
export function eventsWithDispatch(events: readonly NewEvent[], source?: string) {
  const onlyWhere = source === undefined ? sql`` : sql`where exists (select from ${sql.table(source)})`;
  const traceparent = currentTraceparent();
  const rows = events.map(
    ({ id, providerId, orderId, kind, sequence, payload, createdAt }) =>
      sql`(${id}::uuid, ${providerId}::uuid, ${orderId}::uuid, ${kind}, ${sequence}::int, ${JSON.stringify(payload)}::jsonb,
        ${createdAt}::timestamptz, ${traceparent}::text)`,
  );
  // Always due, because the event has the provider's time, which may be far from real time. The n-th event is due n
  // milliseconds after the epoch, so that events are dispatched in the order of their publication.
  return sql`
    event as (
      insert into events (id, provider_id, order_id, kind, sequence, payload, created_at, traceparent)
      select * from (values ${sql.join(rows)}) as happened ${onlyWhere}
      returning id, provider_id, traceparent
    ),
    dispatch as (
      insert into timers (kind, key, provider_id, due_at, payload, traceparent)
      select ${dispatchKind}, id::text, provider_id, timestamptz 'epoch' + nextval('events_published') * interval '1 millisecond',
        '{}', traceparent
      from event
    )`;
}

/** Reads one event; null if there is none with this id. */
export async function readEvent(db: Database, id: string): Promise<StoredEvent | null> {
  return (await readEvents(db, [id])).get(id) ?? null;
}

/** Reads events by id; events that do not exist are missing from the map. */
export async function readEvents(db: Database, ids: readonly string[]): Promise<Map<string, StoredEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("events")
    .select(eventColumns)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, toEvent(row)]));
}

interface EventLogQuery {
  providerId: string;
  /**
   * The event after which to continue, or null for the beginning. An id of another provider's event gives an empty
   * result.
   */
  afterId: string | null;
  limit: number;
}

/** The maximum number of events that one read of the log gives a position. */
const placedAtOnceMax = 1_000;

/**
 * Reads a provider's log in order, without gaps. Once a page was read, no event ever appears before its end, however
 * late its transaction committed. An empty result means the end of the log for now. `limit` is at most 1000.
 */
export async function readEventLog(
  db: Database,
  { providerId, afterId, limit }: EventLogQuery,
): Promise<StoredEvent[]> {
  return inTransaction(db, async (tx) => {
    await placeEvents(tx, providerId);
    const after =
      afterId === null
        ? sql<number>`0`
        : sql<number>`(select position from events where id = ${afterId} and provider_id = ${providerId})`;
    const rows = await tx
      .selectFrom("events")
      .select(eventColumns)
      .where("provider_id", "=", providerId)
      .where("position", ">", after)
      .orderBy("position")
      .limit(Math.min(limit, placedAtOnceMax))
      .execute();
    return rows.map(toEvent);
  });
}

/** Gives events without a position the next positions in the provider's log. Only one reader does so at a time. */
async function placeEvents(tx: Transaction, providerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASSES.log}, hashtext(${providerId}))`.execute(tx);
  await sql`
    with unplaced as (
      select id, row_number() over (order by created_at, sequence nulls first, id) as rank
      from (
        select id, created_at, sequence from events
        where provider_id = ${providerId} and position is null
        order by created_at, sequence nulls first, id
        limit ${placedAtOnceMax}
      ) as oldest
    ),
    last as (select coalesce(max(position), 0) as position from events where provider_id = ${providerId} and position is not null)
    update events set position = last.position + unplaced.rank from unplaced, last where events.id = unplaced.id
  `.execute(tx);
}

const eventColumns = ["id", "provider_id", "order_id", "kind", "sequence", "payload", "created_at"] as const;

function toEvent(row: {
  id: string;
  provider_id: string;
  order_id: string | null;
  kind: string;
  sequence: number | null;
  payload: object;
  created_at: Date;
}): StoredEvent {
  const { id, kind, sequence, payload } = row;
  return { id, kind, sequence, payload, providerId: row.provider_id, orderId: row.order_id, createdAt: row.created_at };
}

/**
 * Replaces parts of the order in the payloads of some orders' events, wherever the payload shows the order's customer.
 * Removes those without a value. Used to erase personal data.
 */
export async function overwriteOrderInEvents(
  tx: Transaction,
  orders: readonly { readonly providerId: string; readonly id: string }[],
  parts: readonly { readonly path: readonly string[]; readonly value?: unknown }[],
): Promise<void> {
  if (orders.length === 0) return;
  const payload = parts.reduce<RawBuilder<unknown>>(
    (written, { path, value }) =>
      value === undefined
        ? sql`${written} #- ${["order", ...path]}::text[]`
        : sql`jsonb_set(${written}, ${["order", ...path]}::text[], ${JSON.stringify(value)}::jsonb, false)`,
    sql`payload`,
  );
  await sql`
    update events set payload = ${payload}
    from unnest(${orders.map(({ providerId }) => providerId)}::uuid[], ${orders.map(({ id }) => id)}::uuid[])
      as emptied (provider_id, id)
    where events.provider_id = emptied.provider_id and events.order_id = emptied.id and payload -> 'order' ? 'customer'
  `.execute(tx);
}
