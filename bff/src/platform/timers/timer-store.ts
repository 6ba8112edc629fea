import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/transaction.ts";
import { mayClaimWork } from "../deployment-store.ts";
import { dispatchKind } from "../outbox.ts";
import type { Environment } from "../provider.ts";
import { switchedOff } from "../switch-store.ts";
import type { Switch } from "../switches.ts";
import { traceparentForTimer } from "../tracing/tracing.ts";

export interface NewTimer {
  /** Names the handler that runs the timer, such as `webhooks.attempt`. */
  kind: string;
  /** The subject of the timer. Each kind and key is scheduled only once, ever, so that its effect happens once. */
  key: string;
  providerId: string;
  /** In real time. For a provider whose sandbox clock was moved, convert it first (`realMoment`). */
  dueAt: Date;
  /** Identifiers only, no personal data, because the row is kept after the timer is done. */
  payload: object;
}

/** A timer that a worker is running. */
export interface ClaimedTimer {
  kind: string;
  key: string;
  providerId: string;
  dueAt: Date;
  /** How often it has run, including this time. */
  attempts: number;
  payload: unknown;
  /** The trace that the timer belongs to; null if it starts one. */
  traceparent: string | null;
  leaseId: string;
}

/** Schedules a timer, unless its kind and key were ever scheduled before. Returns whether it is new. */
export async function scheduleTimer(tx: Database, timer: NewTimer): Promise<boolean> {
  return (await scheduleTimers(tx, [timer])) === 1;
}

/**
 * Schedules several timers in one statement, except those that were ever scheduled before. Returns how many are new.
 */
export async function scheduleTimers(tx: Database, timers: readonly NewTimer[]): Promise<number> {
  if (timers.length === 0) return 0;
  const result = await tx
    .insertInto("timers")
    .values(timers.map(toRow))
    .onConflict((conflict) => conflict.columns(["kind", "key"]).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0n);
}

/** The body of a CTE that schedules a timer like `scheduleTimer`, if the CTE `source` has a row. */
export function timerWith(source: string, { kind, key, providerId, dueAt, payload }: NewTimer): RawBuilder<unknown> {
  return sql`
    insert into timers (kind, key, provider_id, due_at, payload, traceparent)
    select ${kind}, ${key}, ${providerId}::uuid, ${dueAt}::timestamptz, ${JSON.stringify(payload)}::jsonb,
      ${traceparentForTimer({ key, providerId })}::text
    where exists (select from ${sql.table(source)})
    on conflict (kind, key) do nothing`;
}

/** The body of a CTE that cancels a pending timer like `cancelTimer`, if the CTE `source` has a row. */
export function cancellationWith(source: string, { kind, key }: { kind: string; key: string }): RawBuilder<unknown> {
  return sql`
    delete from timers where kind = ${kind} and key = ${key} and done_at is null
      and exists (select from ${sql.table(source)})`;
}

/**
 * The body of a CTE that makes a pending timer due at a moment, sooner or later than it was, if the CTE `source` has a
 * row. A worker that is running it loses its lease, so it cannot move the timer again.
 */
export function dueAtWith(
  source: string,
  { kind, key, dueAt }: { kind: string; key: string; dueAt: Date },
): RawBuilder<unknown> {
  return sql`
    update timers set due_at = ${dueAt}::timestamptz, lease_id = null, lease_until = null
    where kind = ${kind} and key = ${key} and done_at is null and exists (select from ${sql.table(source)})`;
}

/**
 * Schedules a timer, or changes the due time and payload of a pending one. With `keepsPayload` the payload stays. A
 * worker that is running it loses its lease. Returns whether the timer is now pending: false if it was already done.
 */
export async function rescheduleTimer(
  tx: Database,
  timer: NewTimer,
  { keepsPayload = false }: { readonly keepsPayload?: boolean } = {},
): Promise<boolean> {
  const result = await tx
    .insertInto("timers")
    .values(toRow(timer))
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "key"])
        .doUpdateSet((set) => ({
          due_at: set.ref("excluded.due_at"),
          payload: set.ref(keepsPayload ? "timers.payload" : "excluded.payload"),
          traceparent: set.ref("excluded.traceparent"),
          attempts: 0,
          lease_id: null,
          lease_until: null,
        }))
        .where("timers.done_at", "is", null),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/**
 * Makes a provider's pending timers due at `dueAt` if they have this key, or a key that continues it after a colon.
 * Timers that are running stay unchanged. Returns how many were changed.
 */
export async function runTimersNow(
  tx: Database,
  { providerId, key, kind }: { providerId: string; key: string; kind?: string },
  dueAt: Date,
): Promise<number> {
  const result = await tx
    .updateTable("timers")
    .set({ due_at: dueAt })
    .where("provider_id", "=", providerId)
    .where("done_at", "is", null)
    .where("due_at", ">", dueAt)
    .where(sql<boolean>`(key = ${key} or starts_with(key, ${`${key}:`}))`)
    .where(sql<boolean>`(lease_until is null or lease_until <= ${dueAt})`)
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? ""))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Removes a pending timer, as if it had never been scheduled. A worker that is running it loses its lease. Returns
 * whether there was one.
 */
export async function cancelTimer(tx: Database, { kind, key }: { kind: string; key: string }): Promise<boolean> {
  const result = await tx
    .deleteFrom("timers")
    .where("kind", "=", kind)
    .where("key", "=", key)
    .where("done_at", "is", null)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/**
 * Makes all pending timers of a provider due earlier by this many milliseconds, because its clock was moved forward as
 * much. Returns the number of moved timers.
 */
export async function shiftTimers(tx: Database, providerId: string, milliseconds: number): Promise<number> {
  const result = await tx
    .updateTable("timers")
    .set({ due_at: sql<Date>`due_at - ${milliseconds}::double precision * interval '1 millisecond'` })
    .where("provider_id", "=", providerId)
    .where("done_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** The provider's pending timer that is due first (real time); null if there is none. */
export async function nextDue(
  tx: Database,
  providerId: string,
  of: { readonly only?: string; readonly except?: string } = {},
): Promise<{ readonly kind: string; readonly dueAt: Date } | null> {
  const row = await tx
    .selectFrom("timers")
    .select(["kind", "due_at as dueAt"])
    .where("provider_id", "=", providerId)
    .where("done_at", "is", null)
    .$if(of.only !== undefined, (query) => query.where("kind", "=", of.only ?? ""))
    .$if(of.except !== undefined, (query) => query.where("kind", "<>", of.except ?? ""))
    .orderBy("due_at")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export interface Claim {
  /** The maximum number of timers to claim, by kind. */
  wanted: ReadonlyMap<string, number>;
  /** The maximum number of timers to claim in total. */
  totalMax: number;
  /** Claims only this provider's timers; null for all providers. */
  providerId: string | null;
  /** The environment of the claiming worker, which claims nothing in another environment's database. */
  environment: Environment;
  /** The switch that stops each kind of timer. Kinds without a switch are absent. */
  switchOf: Readonly<Record<string, Switch>>;
  now: Date;
  leaseId: string;
  leaseUntil: Date;
}

/** Leases due timers to the caller, earliest first, except those that another worker holds. */
export async function claimTimers(db: Database, claim: Claim): Promise<ClaimedTimer[]> {
  const { rows } = await claimStatement(claim).execute(db);
  return rows.map((row) => toClaimed(row, claim.leaseId)).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

/** The statement of `claimTimers`; exported so that a test can check its query plan. */
export function claimStatement({
  wanted,
  totalMax,
  providerId,
  environment,
  switchOf,
  now,
  leaseId,
  leaseUntil,
}: Claim): RawBuilder<ClaimedRow> {
  const ofProvider = providerId === null ? sql`` : sql`and provider_id = ${providerId}`;
  // With a literal limit the planner expects few rows and reads each by its key, however many are due.
  const most = Math.min(
    totalMax,
    [...wanted.values()].reduce((sum, free) => sum + free, 0),
  );
  const kinds = [...wanted.keys()];
  const isOff = switchedOff({ what: sql.ref("wanted.switch"), providerId: sql.ref("timers.provider_id") });
  // Each kind is searched separately, so that many due timers of one kind do not delay the others.
  return sql<ClaimedRow>`
    with due as (
      select candidate.kind, candidate.key
      from unnest(
        ${kinds}::text[], ${[...wanted.values()]}::int[], ${kinds.map((kind) => switchOf[kind] ?? null)}::text[]
      ) as wanted (kind, free, switch)
      cross join lateral (
        select timers.kind, timers.key, timers.due_at
        from timers
        where timers.kind = wanted.kind and done_at is null and due_at <= ${now} and (lease_until is null or lease_until <= ${now}) ${ofProvider}
          and not ${isOff}
        order by due_at
        limit wanted.free
        for update of timers skip locked
      ) as candidate
      where ${mayClaimWork(environment)}
      order by candidate.due_at
      limit ${most}
    )
    update timers
    set lease_id = ${leaseId}, lease_until = ${leaseUntil}, attempts = attempts + 1
    from due
    where timers.kind = due.kind and timers.key = due.key
    returning timers.kind, timers.key, timers.provider_id, timers.due_at, timers.attempts, timers.payload,
      timers.traceparent
  `;
}

interface ClaimedRow {
  kind: string;
  key: string;
  provider_id: string;
  due_at: Date;
  attempts: number;
  payload: unknown;
  traceparent: string | null;
}

function toClaimed(row: ClaimedRow, leaseId: string): ClaimedTimer {
  const { kind, key, attempts, payload, traceparent } = row;
  return { kind, key, attempts, payload, traceparent, providerId: row.provider_id, dueAt: row.due_at, leaseId };
}

/** Completes a timer. Returns false if the caller no longer holds its lease. */
export async function completeTimer(tx: Database, timer: ClaimedTimer, now: Date): Promise<boolean> {
  const result = await held(tx, timer).set({ done_at: now, lease_id: null, lease_until: null }).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Completes a timer and removes its row, so that its key may be scheduled again. Returns false as `completeTimer` does.
 */
export async function completeAndRemoveTimer(tx: Database, timer: ClaimedTimer): Promise<boolean> {
  const { kind, key, leaseId } = timer;
  return (await completeAndRemoveTimers(tx, [{ kind, key, leaseId }])).size === 1;
}

/**
 * Completes several timers of one kind and removes their rows. Returns the keys of those whose lease the caller still
 * held.
 */
export async function completeAndRemoveTimers(
  tx: Database,
  timers: readonly Pick<ClaimedTimer, "kind" | "key" | "leaseId">[],
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    delete from timers
    using unnest(${timers.map(({ kind }) => kind)}::text[], ${timers.map(({ key }) => key)}::text[], ${timers.map(({ leaseId }) => leaseId)}::uuid[])
      as mine (kind, key, lease_id)
    where timers.kind = mine.kind and timers.key = mine.key and timers.lease_id = mine.lease_id
    returning timers.key
  `.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

/** Postpones a timer that the caller holds. With `fresh` its attempts are counted from zero again. */
export async function postponeTimer(
  tx: Database,
  timer: ClaimedTimer,
  to: { dueAt: Date; payload?: object; fresh: boolean },
): Promise<boolean> {
  const payload = to.payload === undefined ? {} : { payload: JSON.stringify(to.payload) };
  const attempts = to.fresh ? { attempts: 0 } : {};
  const result = await held(tx, timer)
    .set({ due_at: to.dueAt, lease_id: null, lease_until: null, ...payload, ...attempts })
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** No worker holds a timer that is done. */
function held(tx: Database, timer: ClaimedTimer) {
  return tx
    .updateTable("timers")
    .where("kind", "=", timer.kind)
    .where("key", "=", timer.key)
    .where("lease_id", "=", timer.leaseId);
}

/**
 * Renews leases. Returns the names (`timerName`) of the timers that the caller still holds. Skips locked rows, mostly
 * those whose handler is just completing them, because waiting could let all other leases expire. They count as held,
 * because no other worker can claim a locked row.
 */
export async function renewLeases(
  db: Database,
  timers: readonly ClaimedTimer[],
  leaseUntil: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ kind: string; key: string }>`
    with mine as (
      select * from unnest(${timers.map(({ kind }) => kind)}::text[], ${timers.map(({ key }) => key)}::text[], ${timers.map(({ leaseId }) => leaseId)}::uuid[])
        as mine (kind, key, lease_id)
    ),
    free as (
      select timers.kind, timers.key from timers join mine using (kind, key, lease_id) for update of timers skip locked
    ),
    renewed as (
      update timers set lease_until = ${leaseUntil} from free where timers.kind = free.kind and timers.key = free.key
    )
    select timers.kind, timers.key from timers join mine using (kind, key, lease_id)
  `.execute(db);
  return new Set(rows.map(timerName));
}

/** A timer's kind and key as one text, for sets and maps. */
export function timerName({ kind, key }: { kind: string; key: string }): string {
  return `${kind} ${key}`;
}

interface DoneTimers {
  readonly kinds: "all" | readonly string[];
  readonly before: Date;
  readonly limit: number;
}

/** Removes at most `limit` timers that were done before a moment, and returns how many. */
export async function removeDoneTimers(db: Database, done: DoneTimers): Promise<number> {
  const { numAffectedRows } = await removalStatement(done).execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * The statement of `removeDoneTimers`; exported so that a test can check its query plan. Deletes rows by their physical
 * position, because each random key would read a page of the primary key's index from disk. The `order by` selects an
 * index. Otherwise, as long as PostgreSQL expects many old rows, one statement would scan millions of rows after the
 * last old one is gone.
 */
export function removalStatement({ kinds, before, limit }: DoneTimers): RawBuilder<unknown> {
  const ofKinds = kinds === "all" ? sql`order by done_at` : sql`and kind = any(${kinds}::text[]) order by kind, key`;
  return sql`
    delete from timers where done_at < ${before} and ctid = any(array(
      select ctid from timers where done_at < ${before} ${ofKinds} limit ${limit} for update skip locked
    ))
  `;
}

function toRow({ kind, key, providerId, dueAt, payload }: NewTimer) {
  return {
    kind,
    key,
    provider_id: providerId,
    due_at: dueAt,
    payload: JSON.stringify(payload),
    traceparent: traceparentForTimer({ key, providerId }),
    lease_id: null,
    lease_until: null,
    done_at: null,
  };
}

/** How much work of a kind is due and not done. */
export interface TimerLoad {
  readonly kind: string;
  readonly due: number;
  /** How many of them a process is running. */
  readonly leased: number;
  /** How long the oldest of them has been due, in seconds. */
  readonly lateSeconds: number;
}

/** The load of every kind with due timers. Excludes events, whose due time means nothing: see `selectOutboxLag`. */
export async function selectTimerLoads(db: Database, now: Date): Promise<TimerLoad[]> {
  const { rows } = await sql<TimerLoad>`
    select kind, count(*)::int as due, (count(*) filter (where lease_until > ${now}))::int as leased,
      coalesce(extract(epoch from ${now}::timestamptz - min(due_at) filter (where lease_until is null or lease_until <= ${now})), 0)
        ::double precision as "lateSeconds"
    from timers where done_at is null and due_at <= ${now} and kind <> ${dispatchKind} group by kind`.execute(db);
  return rows;
}

/** How many seconds ago the oldest undispatched event was published; null if all are dispatched. */
export async function selectOutboxLag(db: Database, now: Date): Promise<number | null> {
  const { rows } = await sql<{ lag: number | null }>`
    select extract(epoch from ${now}::timestamptz - min(e.created_at))::double precision as lag
    from timers t join events e on e.id = t.key::uuid where t.kind = ${dispatchKind} and t.done_at is null`.execute(db);
  return rows[0]?.lag ?? null;
}

/** When the first pending timer of a kind is due, in real time; null if there is none. */
export async function selectFirstDue(db: Database, kind: string): Promise<Date | null> {
  const row = await db
    .selectFrom("timers")
    .select("due_at")
    .where("kind", "=", kind)
    .where("done_at", "is", null)
    .orderBy("due_at")
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? null;
}
