import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/transaction.ts";

export interface NewTimer {
  /** What is to be done; a handler is registered under this name, such as `webhooks.attempt`. */
  kind: string;
  /** What it is to be done for. A kind and key exist once, for ever: that is what makes an effect happen once. */
  key: string;
  providerId: string;
  /** In real time: a provider whose sandbox clock was moved has to translate (see `shiftTimers`). */
  dueAt: Date;
  /** Identifiers rather than data: it stays in the table, and holds nothing personal. */
  payload: object;
}

/** A timer that a worker has begun. */
export interface ClaimedTimer {
  kind: string;
  key: string;
  providerId: string;
  dueAt: Date;
  /** How often it was begun, this time included. */
  attempts: number;
  payload: unknown;
  leaseId: string;
}

/** Puts a timer there, unless its kind and key were scheduled before, done or not. Says whether it was put there. */
export async function scheduleTimer(tx: Database, timer: NewTimer): Promise<boolean> {
  return (await scheduleTimers(tx, [timer])) === 1;
}

/** Puts several timers there in one statement, leaving out those that were scheduled before. Says how many were new. */
export async function scheduleTimers(tx: Database, timers: readonly NewTimer[]): Promise<number> {
  if (timers.length === 0) return 0;
  const result = await tx
    .insertInto("timers")
    .values(timers.map(toRow))
    .onConflict((conflict) => conflict.columns(["kind", "key"]).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}

/** The same as `scheduleTimer`, as the body of a CTE: nothing is put there where the CTE `source` has no row. */
export function timerWith(source: string, { kind, key, providerId, dueAt, payload }: NewTimer): RawBuilder<unknown> {
  return sql`
    insert into timers (kind, key, provider_id, due_at, payload)
    select ${kind}, ${key}, ${providerId}::uuid, ${dueAt}::timestamptz, ${JSON.stringify(payload)}::jsonb
    where exists (select from ${sql.table(source)})
    on conflict (kind, key) do nothing`;
}

/** The same as `cancelTimer`, as the body of a CTE: nothing is taken back where the CTE `source` has no row. */
export function cancellationWith(source: string, { kind, key }: { kind: string; key: string }): RawBuilder<unknown> {
  return sql`
    delete from timers where kind = ${kind} and key = ${key} and done_at is null
      and exists (select from ${sql.table(source)})`;
}

/**
 * Puts a timer there, or moves it (due moment and payload) if it is there and not done. A worker that has begun it loses
 * its lease. Says whether the timer is now pending: false where it was done before.
 */
export async function rescheduleTimer(tx: Database, timer: NewTimer): Promise<boolean> {
  const result = await tx
    .insertInto("timers")
    .values(toRow(timer))
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "key"])
        .doUpdateSet((set) => ({
          due_at: set.ref("excluded.due_at"),
          payload: set.ref("excluded.payload"),
          attempts: 0,
          lease_id: null,
          lease_until: null,
        }))
        .where("timers.done_at", "is", null),
    )
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/**
 * Brings forward what a provider waits for under a key, or under keys that continue it after a colon, and that nobody is at
 * just now. Says of how many timers.
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
 * Takes a timer back that is not done, as if it had never been scheduled. A worker that has begun it loses its lease.
 * Says whether there was one.
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
 * Brings everything that a provider waits for nearer by so many milliseconds, because its own clock was moved forward by
 * as much. Returns how many timers were moved.
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

/** When the next thing that a provider waits for is due (real time); null where it waits for nothing. */
export async function nextDueAt(tx: Database, providerId: string): Promise<Date | null> {
  const row = await tx
    .selectFrom("timers")
    .select("due_at")
    .where("provider_id", "=", providerId)
    .where("done_at", "is", null)
    .orderBy("due_at")
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? null;
}

export interface Claim {
  /** How many of each kind may be begun. */
  wanted: ReadonlyMap<string, number>;
  /** How many may be begun in all. */
  totalMax: number;
  /** Only this provider's, or everybody's. */
  providerId: string | null;
  now: Date;
  leaseId: string;
  leaseUntil: Date;
}

/** Begins timers that are due and nobody else's, earliest first, and leases them to the caller. */
export async function claimTimers(db: Database, claim: Claim): Promise<ClaimedTimer[]> {
  const { rows } = await claimStatement(claim).execute(db);
  return rows.map((row) => toClaimed(row, claim.leaseId)).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

/** The statement of `claimTimers`; exported so that a test can ask the database how it would run it. */
export function claimStatement({
  wanted,
  totalMax,
  providerId,
  now,
  leaseId,
  leaseUntil,
}: Claim): RawBuilder<ClaimedRow> {
  const ofProvider = providerId === null ? sql`` : sql`and provider_id = ${providerId}`;
  // Told as a number, so that the planner expects few rows and looks each up by its key, however many are due.
  const most = Math.min(
    totalMax,
    [...wanted.values()].reduce((sum, free) => sum + free, 0),
  );
  // For each kind a search of its own, so that many due timers of one kind do not stand before those of another.
  return sql<ClaimedRow>`
    with due as (
      select candidate.kind, candidate.key
      from unnest(${[...wanted.keys()]}::text[], ${[...wanted.values()]}::int[]) as wanted (kind, free)
      cross join lateral (
        select timers.kind, timers.key, timers.due_at
        from timers
        where timers.kind = wanted.kind and done_at is null and due_at <= ${now} and (lease_until is null or lease_until <= ${now}) ${ofProvider}
        order by due_at
        limit wanted.free
        for update skip locked
      ) as candidate
      order by candidate.due_at
      limit ${most}
    )
    update timers
    set lease_id = ${leaseId}, lease_until = ${leaseUntil}, attempts = attempts + 1
    from due
    where timers.kind = due.kind and timers.key = due.key
    returning timers.kind, timers.key, timers.provider_id, timers.due_at, timers.attempts, timers.payload
  `;
}

export interface ClaimedRow {
  kind: string;
  key: string;
  provider_id: string;
  due_at: Date;
  attempts: number;
  payload: unknown;
}

function toClaimed(row: ClaimedRow, leaseId: string): ClaimedTimer {
  const { kind, key, attempts, payload } = row;
  return { kind, key, attempts, payload, providerId: row.provider_id, dueAt: row.due_at, leaseId };
}

/** Ends a timer that the caller holds. False where the lease is not the caller's any more. */
export async function completeTimer(tx: Database, timer: ClaimedTimer, now: Date): Promise<boolean> {
  const result = await held(tx, timer).set({ done_at: now, lease_id: null, lease_until: null }).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends several timers of one kind that the caller holds. Returns the keys of those whose lease is the caller's still. */
export async function completeTimers(
  tx: Database,
  timers: readonly Pick<ClaimedTimer, "kind" | "key" | "leaseId">[],
  now: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    update timers
    set done_at = ${now}, lease_id = null, lease_until = null
    from unnest(${timers.map(({ kind }) => kind)}::text[], ${timers.map(({ key }) => key)}::text[], ${timers.map(({ leaseId }) => leaseId)}::uuid[])
      as mine (kind, key, lease_id)
    where timers.kind = mine.kind and timers.key = mine.key and timers.lease_id = mine.lease_id and timers.done_at is null
    returning timers.key
  `.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

/** Puts a timer that the caller holds to a later moment, as a new task (its attempts begin again) or as the same one. */
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

function held(tx: Database, timer: ClaimedTimer) {
  return tx
    .updateTable("timers")
    .where("kind", "=", timer.kind)
    .where("key", "=", timer.key)
    .where("lease_id", "=", timer.leaseId)
    .where("done_at", "is", null);
}

/**
 * Keeps leases for longer. Returns those timers, as `kind key`, that the caller still holds. A row that is locked just now,
 * mostly by the transaction that ends its timer, is not waited for, or one such row would let all the others' leases end: it
 * is held, and nobody can claim it as long as it is locked.
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
      select timers.kind, timers.key from timers join mine using (kind, key, lease_id)
      where timers.done_at is null for update of timers skip locked
    ),
    renewed as (
      update timers set lease_until = ${leaseUntil} from free where timers.kind = free.kind and timers.key = free.key
    )
    select timers.kind, timers.key from timers join mine using (kind, key, lease_id) where timers.done_at is null
  `.execute(db);
  return new Set(rows.map(timerName));
}

/** A timer's kind and key in one text, for sets and maps. */
export function timerName({ kind, key }: { kind: string; key: string }): string {
  return `${kind} ${key}`;
}

/** Removes timers that were done before a moment, a bounded number at a time. Returns how many. */
export async function removeDoneTimers(
  db: Database,
  { kinds, before, limit }: { kinds: "all" | readonly string[]; before: Date; limit: number },
): Promise<number> {
  const ofKinds = kinds === "all" ? sql`true` : sql`kind = any(${kinds}::text[])`;
  const { numAffectedRows } = await sql`
    delete from timers using (
      select kind as old_kind, key as old_key from timers where done_at < ${before} and ${ofKinds} limit ${limit} for update skip locked
    ) as old
    where kind = old_kind and key = old_key
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

function toRow({ kind, key, providerId, dueAt, payload }: NewTimer) {
  return {
    kind,
    key,
    provider_id: providerId,
    due_at: dueAt,
    payload: JSON.stringify(payload),
    lease_id: null,
    lease_until: null,
    done_at: null,
  };
}
