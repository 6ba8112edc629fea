import { sql } from "kysely";
import type { Database } from "../database/transaction.ts";
import { dispatchKind } from "../outbox.ts";

/** How much work of a kind is due and not done. */
export interface TimerLoad {
  readonly kind: string;
  readonly due: number;
  /** Those of them that a process works on. */
  readonly leased: number;
  /** For how long the one that waits longest is due. */
  readonly lateSeconds: number;
}

/** The load of every kind with due timers. Events are due since the beginning of time: see `selectOutboxLag`. */
export async function selectTimerLoads(db: Database, now: Date): Promise<TimerLoad[]> {
  const { rows } = await sql<TimerLoad>`
    select kind, count(*)::int as due, (count(*) filter (where lease_until > ${now}))::int as leased,
      coalesce(extract(epoch from ${now}::timestamptz - min(due_at) filter (where lease_until is null or lease_until <= ${now})), 0)
        ::double precision as "lateSeconds"
    from timers where done_at is null and due_at <= ${now} and kind <> ${dispatchKind} group by kind`.execute(db);
  return rows;
}

/** For how many seconds the oldest event has not been dispatched; null: all are. */
export async function selectOutboxLag(db: Database, now: Date): Promise<number | null> {
  const { rows } = await sql<{ lag: number | null }>`
    select extract(epoch from ${now}::timestamptz - min(e.created_at))::double precision as lag
    from timers t join events e on e.id = t.key::uuid where t.kind = ${dispatchKind} and t.done_at is null`.execute(db);
  return rows[0]?.lag ?? null;
}
