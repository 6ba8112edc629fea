import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createKeyring } from "../../src/platform/keyring.ts";
import { readOrMakeKeyringFile } from "../../src/platform/keyring-file.ts";
import { readFacts } from "../sim/facts.ts";
import { ALWAYS, violations } from "../sim/invariants.ts";
import { createCrowd } from "./crowd.ts";
import { prepareGround } from "./ground.ts";
import { type PostgresCluster, startPostgresCluster } from "./postgres-cluster.ts";
import { startProcesses, tellReceivers } from "./processes.ts";
import { startPartnerReceiver } from "./receivers.ts";

export interface FailoverOptions {
  readonly seed: number;
  /** How often the primary is killed. */
  readonly times: number;
  readonly folder: string;
  readonly customersAtOnce: number;
  readonly say: (line: string) => void;
}

export interface FailoverOutcome {
  readonly failovers: number;
  readonly acknowledged: number;
  /** The longest time without one successful write, in seconds. */
  readonly secondsWithoutWrites: number;
  readonly wrong: readonly string[];
}

/** How long customers use the service before and after each failover. */
const IN_USE_MS = 8_000;

/**
 * Kills the primary PostgreSQL repeatedly while customers use the service, with the shipped files of
 * `deploy/postgresql/`. Nothing acknowledged may be lost, and no patient charged twice.
 */
export async function rehearseFailovers(options: FailoverOptions): Promise<FailoverOutcome> {
  const { folder, seed, times, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const cluster = await startPostgresCluster(join(folder, "postgresql"));
    closing.push(() => cluster.close());
    say("a primary, a synchronous standby and a backup repository");
    await cluster.backUp();
    const receivers = [await startPartnerReceiver(), await startPartnerReceiver()];
    closing.push(() => receivers.map(({ close }) => close()));
    await mkdir(join(folder, "bff"), { recursive: true });
    const keys = await readOrMakeKeyringFile(join(folder, "bff/keyring.json"));
    const { databaseUrl } = cluster;
    const ground = await prepareGround(databaseUrl, createKeyring({ keys, environment: "staging" }), receivers);
    closing.push(() => ground.database.close());
    const { urls } = await startProcesses({ folder, databaseUrl, count: 2, plant: null }, closing);
    await tellReceivers(ground, urls);
    const writes = watchWrites();
    const crowd = createCrowd({ seed, world: ground.world, partners: ground.partners, urls, watch: writes.watch });
    const coming = crowd.come(options.customersAtOnce);
    let secondsWithoutWrites = 0;
    for (let time = 1; time <= times; time += 1) {
      const seconds = await failOver(cluster, writes);
      secondsWithoutWrites = Math.max(secondsWithoutWrites, seconds);
      say(`failover ${time}: ${crowd.acknowledged().length} acknowledged, ${seconds} s without writes`);
    }
    crowd.stopComing();
    await coming;
    for (let rounds = 0; rounds < ROUNDS_MAX && !(await crowd.goOn()); rounds += 1) await pause(200);
    const acknowledged = crowd.acknowledged();
    const facts = await readFacts(ground.database, nothingSeen());
    const lost = acknowledged.filter(({ holds }) => !holds(facts)).map(({ what }) => `lost: ${what}`);
    const { neverTwoChargesForOneCause, collectedAtMostOnce } = ALWAYS;
    const charged = violations({ neverTwoChargesForOneCause, collectedAtMostOnce } as typeof ALWAYS, facts);
    const wrong = [...lost, ...charged, ...crowd.wrong];
    return { failovers: times, acknowledged: acknowledged.length, secondsWithoutWrites, wrong };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

const ROUNDS_MAX = 50;

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

const nothingSeen = () => ({
  now: new Date(),
  received: [],
  stored: null,
  asked_to_keep: [],
  removed_cards: [],
  shown_charges: [],
  of_this_version_since: null,
});
