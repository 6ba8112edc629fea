import { sql } from "kysely";
import type { Database } from "../platform/database/transaction.ts";

/** What one process last saw of a gateway, in real time. */
export interface SeenGateway {
  readonly party: string;
  readonly answeredAt: Date | null;
  readonly unansweredAt: Date | null;
  /** Since when its calls for requests have stopped; null: they are made. */
  readonly requestsStoppedAt: Date | null;
  readonly backgroundStoppedAt: Date | null;
}

/** Stores what a process saw until `at`. */
export async function upsertGatewayStates(
  db: Database,
  { processId, at, seen }: { readonly processId: string; readonly at: Date; readonly seen: readonly SeenGateway[] },
): Promise<void> {
  if (seen.length === 0) return;
  await db
    .insertInto("gateway_states")
    .values(
      seen.map(({ party, answeredAt, unansweredAt, requestsStoppedAt, backgroundStoppedAt }) => ({
        process_id: processId,
        party,
        answered_at: answeredAt,
        unanswered_at: unansweredAt,
        requests_stopped_at: requestsStoppedAt,
        background_stopped_at: backgroundStoppedAt,
        seen_at: at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["process_id", "party"]).doUpdateSet((is) => ({
        answered_at: is.ref("excluded.answered_at"),
        unanswered_at: is.ref("excluded.unanswered_at"),
        requests_stopped_at: is.ref("excluded.requests_stopped_at"),
        background_stopped_at: is.ref("excluded.background_stopped_at"),
        seen_at: is.ref("excluded.seen_at"),
      })),
    )
    .execute();
}

/** A gateway as all processes saw it. */
export interface GatewayState {
  readonly party: string;
  /** Running processes that have called it. */
  readonly processes: number;
  /** Those of them whose calls for requests have stopped. */
  readonly requestsStopped: number;
  readonly backgroundStopped: number;
  readonly stoppedSince: Date | null;
  readonly answeredAt: Date | null;
  readonly unansweredAt: Date | null;
}

/** The gateways that any process has called; a process runs if it was seen since `runningSince`. */
export async function selectGatewayStates(
  db: Database,
  { runningSince }: { readonly runningSince: Date },
): Promise<GatewayState[]> {
  const { rows } = await sql<GatewayState>`
    select s.party, (count(*) filter (where s.runs))::int as processes,
      (count(*) filter (where s.runs and s.requests_stopped_at is not null))::int as "requestsStopped",
      (count(*) filter (where s.runs and s.background_stopped_at is not null))::int as "backgroundStopped",
      min(least(s.requests_stopped_at, s.background_stopped_at)) filter (where s.runs) as "stoppedSince",
      max(s.answered_at) as "answeredAt", max(s.unanswered_at) as "unansweredAt"
    from (select *, seen_at >= ${runningSince} as runs from gateway_states) as s
    group by s.party order by s.party`.execute(db);
  return rows;
}
