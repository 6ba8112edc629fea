/*
 * Whether gateways answer. Each process knows only its own calls and circuits, so it stores them for the operators'
 * console.
 */

import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { createPoller } from "../platform/poller.ts";
import { purgeBefore } from "../platform/purge.ts";
import {
  type GatewayState,
  type SeenGateway,
  selectGatewayStates,
  upsertGatewayStates,
} from "./gateway-state-store.ts";

/** Unchanged states are stored this often, to show that the process runs. */
const REPEATED_MS = MINUTE_MS;
/** A process that was not seen for this long has ended, or cannot reach the database. */
const RUNNING_MS = 2.5 * MINUTE_MS;
const POLL_MS = 5_000;
/** How long the last answer of an ended process is known. */
export const GATEWAY_STATES_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;

/** Verdicts of calls that got no answer. A call that was not made says nothing about the gateway. */
const NOT_MADE = "circuit_open";
const UNANSWERED = "unanswered";

interface WatchDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface GatewayWatch {
  /** The metrics to give to gateways. */
  readonly metrics: Metrics;
  start(): void;
  /** Stores what has changed. */
  save(): Promise<void>;
  stop(): Promise<void>;
}

/** Watches the calls of this process's gateways by their metrics, and stores what it saw. */
export function watchGateways({ db, clock, ids, logger, metrics }: WatchDependencies): GatewayWatch {
  const processId = ids.uuid();
  const seen = new Map<string, SeenGateway>();
  const changed = new Set<string>();
  let savedAt = Number.NEGATIVE_INFINITY;

  function note(party: string, change: Partial<SeenGateway>): void {
    seen.set(party, { ...(seen.get(party) ?? nothingSeen(party)), ...change });
    changed.add(party);
  }

  async function save(): Promise<void> {
    const at = clock.now();
    const isRepeated = at.getTime() - savedAt >= REPEATED_MS;
    const parties = isRepeated ? [...seen.keys()] : [...changed];
    changed.clear();
    try {
      await upsertGatewayStates(db, { processId, at, seen: parties.flatMap((party) => seen.get(party) ?? []) });
    } catch (error) {
      for (const party of parties) changed.add(party);
      throw error;
    }
    if (isRepeated) savedAt = at.getTime();
  }

  const poller = createPoller({ look: save, pollMs: POLL_MS, logger });
  return {
    metrics: {
      ...metrics,
      gatewayCalled(of, seconds) {
        metrics.gatewayCalled(of, seconds);
        if (of.verdict === UNANSWERED) note(of.party, { unansweredAt: clock.now() });
        else if (of.verdict !== NOT_MADE) note(of.party, { answeredAt: clock.now() });
      },
      circuitChanged(party, work, state) {
        metrics.circuitChanged(party, work, state);
        const at = state === "open" ? clock.now() : null;
        note(party, work === "requests" ? { requestsStoppedAt: at } : { backgroundStoppedAt: at });
      },
    },
    start: poller.start,
    save,
    stop: poller.stop,
  };
}

function nothingSeen(party: string): SeenGateway {
  return { party, answeredAt: null, unansweredAt: null, requestsStoppedAt: null, backgroundStoppedAt: null };
}

export type { GatewayState } from "./gateway-state-store.ts";

/** The gateways that any process has called, as all processes saw them. */
export function readGatewayStates({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<GatewayState[]> {
  return selectGatewayStates(db, { runningSince: new Date(clock.now().getTime() - RUNNING_MS) });
}

/** Deletes the states of processes that ended long ago. */
export function purgeGatewayStates({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - GATEWAY_STATES_KEPT_MS);
  return purgeBefore(db, { table: "gateway_states", column: "seen_at", before });
}
