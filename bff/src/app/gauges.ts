import { statfs } from "node:fs/promises";
import { countExceptions, openOutcomes } from "../back-office/list-exceptions.ts";
import { countOperatorChanges } from "../back-office/operators.ts";
import { movedMoney } from "../orders/book-reads.ts";
import { resultWithin } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { OpenDatabase, WriteRefusal } from "../platform/database/database.ts";
import type { ReadGauge } from "../platform/metrics.ts";
import { restoreOpenSeconds } from "../platform/restore-store.ts";
import { selectOutboxLag, selectTimerLoads, type TimerLoad } from "../platform/timers/timer-store.ts";
import { currentSpan } from "../platform/tracing/tracing.ts";
import { reconciliationAge } from "../settlement/read-reconciliation.ts";
import { providerClocks } from "../tenants/providers.ts";
import { deliveryLag } from "../webhooks/deliveries.ts";
import type { Base } from "./parts.ts";

/** The database is queried at most this often, however many scrapes there are. */
const FRESH_MS = 10_000;
/** The exceptions come from many tables. */
const EXCEPTIONS_FRESH_MS = 60_000;
/** A scrape gets the process's own values even while the database does not answer. */
const ANSWERED_WITHIN_MS = 2_000;

/**
 * Adds metrics of the process and its database: the duration of each statement, and gauges that are read at each
 * scrape.
 */
export function measured(base: Base, database: OpenDatabase, folders: DiskFolders): Base {
  database.watchStatements((outcome, seconds) => {
    base.metrics.statementEnded(outcome, seconds);
    currentSpan()?.record({ name: "statement", kind: "client", hasFailed: outcome !== "answered" }, seconds);
  });
  const ofDatabase = [...timerGauges(base), ...lagGauges(base), ...businessGauges(base)];
  base.metrics.readGauges([
    {
      name: "aapd_database_connections",
      help: "Connections to the database: all, free ones, and callers that wait for one.",
      label: "state",
      read: () => new Map(Object.entries(database.load())),
    },
    {
      name: "aapd_database_refuses_writes",
      help: "Whether the database takes no writes: its disk is full, or it is read-only.",
      label: "cause",
      read: () => new Map(WRITE_REFUSALS.map((cause) => [cause, database.writeRefusal() === cause ? 1 : 0])),
    },
    {
      name: "aapd_clock_offset_seconds",
      help: "How far this machine's clock is behind the database's; negative if it is ahead.",
      label: null,
      read: () => new Map([["", database.clock.offsetMs() / 1_000]]),
    },
    { ...diskGauge(folders), read: () => withinTime(base, diskGauge(folders)) },
    ...ofDatabase.map((gauge) => ({ ...gauge, read: () => withinTime(base, gauge) })),
  ]);
  return base;
}

const WRITE_REFUSALS = ["disk_full", "read_only"] as const satisfies readonly WriteRefusal[];

/** The folders in which this process stores data, by purpose. */
export type DiskFolders = ReadonlyMap<string, string>;

/** A folder that cannot be read is left out. */
function diskGauge(folders: DiskFolders): ReadGauge {
  const shareOf = async ([name, folder]: readonly [string, string]): Promise<[string, number][]> => {
    const found = await statfs(folder).catch(() => null);
    return found === null || found.blocks === 0 ? [] : [[name, found.bavail / found.blocks]];
  };
  return {
    name: "aapd_disk_free_ratio",
    help: "The free share of the disk on which a folder of this process is.",
    label: "folder",
    read: async () => new Map((await Promise.all([...folders].map(shareOf))).flat()),
  };
}

function timerGauges(base: Base): readonly ReadGauge[] {
  const loads = fresh(base, FRESH_MS, () => selectTimerLoads(base.db, base.clock.now()));
  const byKind = (name: string, help: string, of: (load: TimerLoad) => number): ReadGauge => ({
    name,
    help,
    label: "kind",
    read: async () => new Map((await loads()).map((load) => [load.kind, of(load)])),
  });
  return [
    byKind("aapd_timers_due", "Timers that are due and not done.", ({ due }) => due),
    byKind("aapd_timers_leased", "Due timers that a process works on.", ({ leased }) => leased),
    byKind(
      "aapd_timers_late_seconds",
      "For how long the timer that waits longest has been due.",
      ({ lateSeconds }) => lateSeconds,
    ),
  ];
}

function lagGauges(base: Base): readonly ReadGauge[] {
  const lag = (name: string, help: string, read: () => Promise<number | null>): ReadGauge => {
    const latest = fresh(base, FRESH_MS, read);
    return { name, help, label: null, read: async () => new Map([["", (await latest()) ?? 0]]) };
  };
  return [
    lag("aapd_outbox_lag_seconds", "The age of the oldest event that is not dispatched.", () =>
      selectOutboxLag(base.db, base.clock.now()),
    ),
    lag("aapd_webhook_lag_seconds", "For how long the oldest webhook waits for an attempt.", () => deliveryLag(base)),
    lag("aapd_reconciliation_age_seconds", "The age of the oldest last reconciliation of a provider.", () =>
      reconciliationAge(base),
    ),
  ];
}

function outcomeGauges(base: Base): readonly ReadGauge[] {
  const open = fresh(base, FRESH_MS, () => openOutcomes(base));
  const byKind = (
    name: string,
    help: string,
    measure: (outcomes: Awaited<ReturnType<typeof open>>[number]) => number,
  ): ReadGauge => ({
    name,
    help,
    label: "of",
    read: async () => new Map((await open()).map((outcomes) => [outcomes.of, measure(outcomes)])),
  });
  return [
    byKind("aapd_outcomes_open", "Calls of gateways whose outcome is unknown.", ({ count }) => count),
    byKind(
      "aapd_outcomes_open_seconds",
      "For how long the oldest of them has been unknown.",
      ({ oldestSeconds }) => oldestSeconds,
    ),
  ];
}

function businessGauges(base: Base): readonly ReadGauge[] {
  const { db, clock, environment } = base;
  return [
    ...outcomeGauges(base),
    {
      name: "aapd_money_last_hour_pesos",
      help: "Pesos that moved in the last hour.",
      label: "move",
      read: fresh(base, FRESH_MS, () => movedMoney(db, providerClocks(environment, clock.now()))),
    },
    {
      name: "aapd_exceptions",
      help: "What waits for an operator.",
      label: "kind",
      read: fresh(base, EXCEPTIONS_FRESH_MS, () => countExceptions(base)),
    },
    {
      name: "aapd_restore_open_seconds",
      help: "How long a restored database has held work back; 0 if none does.",
      label: null,
      read: fresh(base, FRESH_MS, async () => new Map([["", await restoreOpenSeconds(db, clock.now())]])),
    },
    {
      name: "aapd_operator_changes",
      help: "Operators added, changed or ended in the last 24 hours.",
      label: "act",
      read: fresh(base, FRESH_MS, () => countOperatorChanges(base)),
    },
  ];
}

/** Caches a reading for this many milliseconds. Concurrent callers share it. */
function fresh<Value>({ clock }: { readonly clock: Clock }, milliseconds: number, read: () => Promise<Value>) {
  let last: { readonly at: number; readonly value: Promise<Value> } | null = null;
  return () => {
    const now = clock.now().getTime();
    if (last === null || now - last.at >= milliseconds) {
      const reading = { at: now, value: read() };
      // A failed reading is not cached.
      reading.value.catch(() => {
        if (last === reading) last = null;
      });
      last = reading;
    }
    return last.value;
  };
}

/** The values of a gauge; none if the database does not answer in time. */
async function withinTime({ logger }: Base, { name, read }: ReadGauge): Promise<ReadonlyMap<string, number>> {
  const reading = Promise.resolve(read()).catch((error: unknown) => {
    logger.warn("metrics.not_read", { kind: name, error });
    return null;
  });
  return (await resultWithin(reading, ANSWERED_WITHIN_MS)) ?? new Map();
}
