import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { assess, type Drill, type DrillOptions, describeAlert, faultsOf, openDrill } from "./drill.ts";
import { type Kubelet, startKubelet } from "./kubelet.ts";
import type { ProcessOptions } from "./processes.ts";
import type { FiredAlert } from "./prometheus.ts";
import { type Relay, startRelay } from "./relay.ts";
import type { Service } from "./service.ts";

/** The parts of a running drill that a fault acts on. */
interface Place {
  readonly services: readonly Service[];
  /** One per process. */
  readonly relays: readonly Relay[];
  readonly databaseUrl: string;
}

/** A fault that lasts for a while, and what it may cost. */
interface Outage {
  /** In words, for the table of drills. */
  readonly fault: string;
  /** The maximum number of errors that clients see; null if every write is refused, and only with 503. */
  readonly errorsMax: number | null;
  /** The alerts that name the fault. One of them must fire in time. */
  readonly alerts: readonly string[];
  /** Bugs planted into the processes, by position. */
  readonly plants?: readonly (string | null)[];
  readonly begin: (place: Place) => Promise<void> | void;
  readonly end: (place: Place) => Promise<void> | void;
}

const nothing = () => undefined;

export const OUTAGES = {
  silence: {
    fault: "one process gets nothing from the database",
    errorsMax: 10,
    alerts: ["DatabaseSilent"],
    begin: ({ relays: [first] }) => first?.silence(true),
    end: ({ relays: [first] }) => first?.silence(false),
  },
  freeze: {
    fault: "one process is suspended",
    errorsMax: 10,
    alerts: ["ProcessGone"],
    begin: ({ services: [first] }) => first?.freeze(true),
    end: ({ services: [first] }) => first?.freeze(false),
  },
  slow: {
    fault: "each round trip to the database takes 160 ms longer",
    errorsMax: 0,
    alerts: ["DatabaseSlow"],
    begin: ({ relays }) => relays.map((relay) => relay.delay(160)).at(0),
    end: ({ relays }) => relays.map((relay) => relay.delay(0)).at(0),
  },
  readonly: {
    fault: "the database is read-only",
    errorsMax: null,
    alerts: ["DatabaseRefusesWrites"],
    begin: ({ databaseUrl }) => setReadOnly(databaseUrl, true),
    end: ({ databaseUrl }) => setReadOnly(databaseUrl, false),
  },
  skew: {
    fault: "the clock of one process is 5 minutes ahead",
    errorsMax: 0,
    alerts: ["ClockWrong"],
    plants: [null, "clock-ahead"],
    begin: nothing,
    end: nothing,
  },
} as const satisfies Readonly<Record<string, Outage>>;

export type OutageName = keyof typeof OUTAGES;

export function isOutage(name: string): name is OutageName {
  return Object.hasOwn(OUTAGES, name);
}

/** The database's own administrator makes it read-only, as a managed server does when its disk fills. */
async function setReadOnly(databaseUrl: string, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: "-c default_transaction_read_only=off" });
  await client.connect();
  await client.query(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
  await client.query("select pg_reload_conf()");
  await client.end();
}

export interface OutageOutcome {
  readonly answers: number;
  /** Errors that a client who never retries sees, from the beginning of the fault until after it. */
  readonly errors: number;
  readonly errorsMax: string;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** The alerts that fired, each with its severity and the seconds since the fault began. */
  readonly alerts: string;
  /** How often Kubernetes would have taken a process out of service, or restarted it. */
  readonly removals: number;
  readonly restarts: number;
  readonly wrong: readonly string[];
}

/** How long customers use the service before the fault, so that Prometheus has rates. */
const HEALTHY_MS = 35_000;
const FAULT_MS_MIN = 40_000;
/** The right alert fires within this time. */
const ALERTED_WITHIN_MS = 120_000;
const RECOVERED_WITHIN_MS = 60_000;
const AFTERWARDS_MS = 8_000;

/** Plays one outage on production's shape while customers use the service. */
export async function rehearseOutage(name: OutageName, options: DrillOptions): Promise<OutageOutcome> {
  const outage: Outage = OUTAGES[name];
  const { databaseUrl, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const relays = [await startRelay(databaseUrl), await startRelay(databaseUrl)];
    closing.push(() => Promise.all(relays.map((relay) => relay.close())));
    const each = relays.map(
      ({ url }, position): ProcessOptions => ({ databaseUrl: url, plant: outage.plants?.[position] ?? null }),
    );
    const drill = await openDrill({ ...options, each }, closing);
    const kubelet = await startKubelet(drill.services);
    closing.push(() => kubelet.stop());
    const coming = drill.crowd.come(options.customersAtOnce);
    const begunAt = new Date();
    await pause(HEALTHY_MS);
    const tooEarly = outage.plants === undefined ? await drill.prometheus.firedSince(begunAt) : [];
    const failedBefore = drill.failed.length;
    say(`${drill.answers()} answers, ${failedBefore} errors before; now ${outage.fault}`);
    const place = { services: drill.services, relays, databaseUrl };
    const faultAt = outage.plants === undefined ? new Date() : begunAt;
    await outage.begin(place);
    const fired = await untilAlerted(drill, outage, faultAt);
    await outage.end(place);
    say(
      `${drill.failed.length - failedBefore} errors; ${fired.map((alert) => describeAlert(alert, faultAt)).join(", ")}`,
    );
    const isRecovered = await untilReady(drill.services);
    const errorsAtRecovery = drill.failed.length;
    await pause(AFTERWARDS_MS);
    drill.crowd.stopComing();
    await coming;
    const assessed = await assess(drill);
    const errors = drill.failed.slice(failedBefore);
    const wrong = [
      ...tooEarly.map((alert) => `fired before the fault: ${alert.name}`),
      ...(outage.alerts.some((alert) => fired.some((one) => one.name === alert))
        ? []
        : [`within two minutes none of ${outage.alerts.join(", ")} fired`]),
      ...(isRecovered ? [] : ["the processes did not become ready again"]),
      ...errorsBeyond(
        outage,
        errors.map(({ what }) => what),
        drill.failed.length - errorsAtRecovery,
      ),
      ...faultsOf(assessed, drill.crowd),
    ];
    return {
      answers: drill.answers(),
      errors: errors.length,
      errorsMax: outage.errorsMax === null ? "only 503" : String(outage.errorsMax),
      acknowledged: assessed.acknowledged,
      lost: assessed.lost.length,
      doubled: assessed.doubled.length,
      alerts: fired.map((alert) => describeAlert(alert, faultAt)).join(", "),
      ...countsOf(kubelet),
      wrong,
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

function countsOf(kubelet: Kubelet): { readonly removals: number; readonly restarts: number } {
  return { removals: kubelet.removals(), restarts: kubelet.restarts() };
}

/** Waits until the right alert has fired, or must have. Returns all that fired since the fault began. */
async function untilAlerted({ prometheus }: Drill, { alerts }: Outage, faultAt: Date): Promise<readonly FiredAlert[]> {
  for (;;) {
    const fired = await prometheus.firedSince(faultAt);
    const lasts = Date.now() - faultAt.getTime();
    const isRight = fired.some(({ name }) => alerts.includes(name));
    if (lasts >= ALERTED_WITHIN_MS || (isRight && lasts >= FAULT_MS_MIN)) return fired;
    await pause(1_000);
  }
}

async function untilReady(services: readonly Service[]): Promise<boolean> {
  const deadline = performance.now() + RECOVERED_WITHIN_MS;
  while (performance.now() < deadline) {
    const answers = await Promise.all(
      services.map(({ url }) =>
        fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    if (answers.every((isReady) => isReady)) return true;
    await pause(250);
  }
  return false;
}

/** The errors that are too many or of the wrong kind. */
function errorsBeyond({ errorsMax }: Outage, errors: readonly string[], afterwards: number): readonly string[] {
  if (errorsMax !== null) return errors.length > errorsMax ? errors : [];
  const late = afterwards === 0 ? [] : [`${afterwards} errors after the fault`];
  return [...errors.filter((what) => !what.endsWith(": 503")), ...late];
}
