import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assess, type DrillOptions, describeAlert, faultsOf, openDrill } from "./drill.ts";
import { type PostgresCluster, startPostgresCluster } from "./postgres-cluster.ts";

export interface FailoverOptions extends Omit<DrillOptions, "databaseUrl"> {
  /** How often the primary is killed. */
  readonly times: number;
}

export interface FailoverOutcome {
  readonly failovers: number;
  readonly acknowledged: number;
  /** The longest time without one successful write, in seconds. */
  readonly secondsWithoutWrites: number;
  readonly lost: number;
  readonly doubled: number;
  /** The alerts that fired. */
  readonly alerts: string;
  readonly wrong: readonly string[];
}

/** How long customers use the service before and after each failover. */
const IN_USE_MS = 8_000;

/**
 * Kills the primary PostgreSQL repeatedly while customers use the service, with the shipped files of
 * `deploy/postgresql/`. Nothing acknowledged may be lost, and no patient charged twice.
 */
export async function rehearseFailovers(options: FailoverOptions): Promise<FailoverOutcome> {
  const { folder, times, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const cluster = await startPostgresCluster(join(folder, "postgresql"));
    closing.push(() => cluster.close());
    say("a primary, a synchronous standby and a backup repository");
    await cluster.backUp();
    const writes = watchWrites();
    const { databaseUrl } = cluster;
    const drill = await openDrill({ ...options, databaseUrl, watch: writes.watch }, closing);
    const { crowd } = drill;
    const begunAt = new Date();
    const coming = crowd.come(options.customersAtOnce);
    let secondsWithoutWrites = 0;
    for (let time = 1; time <= times; time += 1) {
      const seconds = await failOver(cluster, writes);
      secondsWithoutWrites = Math.max(secondsWithoutWrites, seconds);
      say(`failover ${time}: ${crowd.acknowledged().length} acknowledged, ${seconds} s without writes`);
    }
    crowd.stopComing();
    await coming;
    const fired = await drill.prometheus.firedSince(begunAt);
    const assessed = await assess(drill);
    return {
      failovers: times,
      acknowledged: assessed.acknowledged,
      secondsWithoutWrites,
      lost: assessed.lost.length,
      doubled: assessed.doubled.length,
      alerts: fired.map((alert) => describeAlert(alert, begunAt)).join(", "),
      wrong: faultsOf(assessed, crowd),
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Kills the primary, waits for its successor, and starts it again as the standby. Returns the gap in seconds. */
async function failOver(cluster: PostgresCluster, writes: Writes): Promise<number> {
  await pause(IN_USE_MS);
  writes.begin();
  const restart = await cluster.killPrimary();
  await writes.resumed();
  const seconds = writes.longestGapSeconds();
  await restart();
  await cluster.untilWhole();
  await pause(IN_USE_MS);
  return seconds;
}

type Writes = ReturnType<typeof watchWrites>;

/** Measures the time between successful writes. */
function watchWrites() {
  let last = 0;
  let longest = 0;
  let since = 0;
  let onWrite = (): void => undefined;
  return {
    watch({ method }: { readonly method: string }, answer: { readonly status: number } | null, sentAt: number): void {
      if (method === "GET" || answer === null || answer.status >= 400) return;
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (sentAt > since) onWrite();
    },
    begin(): void {
      longest = 0;
      last = performance.now();
      since = last;
    },
    /** Waits for a write that was sent after the longest possible answer of the killed server. */
    async resumed(): Promise<void> {
      since = performance.now() + 1_000;
      await new Promise<void>((resolve) => {
        onWrite = resolve;
      });
    },
    longestGapSeconds: () => Number((longest / 1_000).toFixed(1)),
  };
}
