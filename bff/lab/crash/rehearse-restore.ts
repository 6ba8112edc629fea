import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { resolveException } from "../../src/back-office/exceptions/resolve-exception.ts";
import { type CheckRestoreDependencies, checkRestore } from "../../src/back-office/restore/check-restore.ts";
import { openFileStorage } from "../../src/gateways/open-file-storage.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { readOrMakeKeyringFile } from "../../src/platform/keyring-file.ts";
import { beginRestore, findOpenRestore } from "../../src/platform/restore-store.ts";
import { keepBackup } from "../../test/lost-hours.ts";
import { readFacts } from "../sim/facts.ts";
import { ALWAYS, violations } from "../sim/invariants.ts";
import { type Random, randomOf } from "../sim/random.ts";
import { createCrowd } from "./crowd.ts";
import { type Ground, prepareGround } from "./ground.ts";
import { type Processes, startProcesses, tellReceivers } from "./processes.ts";
import { startPartnerReceiver } from "./receivers.ts";

export interface RestoreOptions {
  readonly seed: number;
  /** How often the database is restored. */
  readonly times: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly customersAtOnce: number;
  readonly say: (line: string) => void;
}

export interface RestoreOutcome {
  readonly restores: number;
  readonly orders: number;
  /** Work acknowledged before the restored moments. */
  readonly acknowledged: number;
  readonly differencesResolved: number;
  readonly chargedTwice: readonly string[];
  readonly lost: readonly string[];
}

const PROCESSES = 2;

interface Rehearsing {
  readonly options: RestoreOptions;
  readonly random: Random;
  readonly ground: Ground;
  readonly processes: Processes;
  readonly dependencies: CheckRestoreDependencies;
  readonly counts: { acknowledged: number; differencesResolved: number; orders: number };
}

/**
 * Restores the database to a random moment repeatedly, as in the runbook, while customers use the service and the
 * outside parties keep their state. Customers without an answer retry afterwards.
 */
export async function rehearseRestores(options: RestoreOptions): Promise<RestoreOutcome> {
  const { folder, seed, databaseUrl, times } = options;
  const closing: (() => unknown)[] = [];
  try {
    const receivers = [await startPartnerReceiver(), await startPartnerReceiver()];
    closing.push(() => receivers.map(({ close }) => close()));
    await mkdir(join(folder, "bff"), { recursive: true });
    const keys = await readOrMakeKeyringFile(join(folder, "bff/keyring.json"));
    const keyring = createKeyring({ keys, environment: "staging" });
    const ground = await prepareGround(databaseUrl, keyring, receivers);
    closing.push(() => ground.database.close());
    const processes = await startProcesses({ folder, databaseUrl, count: PROCESSES, plant: null }, closing);
    await tellReceivers(ground, processes.urls);
    const files = await openFileStorage({ location: { kind: "folder", path: join(folder, "bff/files") }, keyring });
    const own = { db: ground.database.db, clock: systemClock, ids: systemIds, keyring, files };
    const unknown = async () => null;
    const noMails = { paymentPage: unknown, consultationDay: unknown };
    const dependencies = { ...ground.world.parties, ...own, ...noMails, environment: "staging" } as const;
    const counts = { acknowledged: 0, differencesResolved: 0, orders: 0 };
    const random = randomOf(`restore:${seed}`);
    const rehearsing = { options, random, ground, processes, dependencies, counts };
    const wrong = { chargedTwice: [] as string[], lost: [] as string[] };
    for (let time = 1; time <= times; time += 1) {
      const { chargedTwice, lost } = await loseAndRestore(rehearsing, time);
      wrong.chargedTwice.push(...chargedTwice);
      wrong.lost.push(...lost);
      options.say(
        `restore ${time}: ${counts.acknowledged} acknowledged before, ${chargedTwice.length} charged twice, ${lost.length} lost`,
      );
    }
    return { restores: times, ...counts, chargedTwice: [...new Set(wrong.chargedTwice)], lost: wrong.lost };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function loseAndRestore(
  { options, random, ground, processes, dependencies, counts }: Rehearsing,
  time: number,
): Promise<Pick<RestoreOutcome, "chargedTwice" | "lost">> {
  const { db } = ground.database;
  const { services, urls } = processes;
  const { world, partners } = ground;
  const crowd = createCrowd({ seed: options.seed + time * 1_000, world, partners, urls });
  const coming = crowd.come(options.customersAtOnce);
  await pause(1_500 + random.below(4_000));
  const before = crowd.acknowledged();
  const restoredTo = new Date();
  const restore = await keepBackup(db, `backup_${time}`);
  await pause(500 + random.below(4_000));
  await Promise.all(services.map((service) => service.kill()));
  crowd.stopComing();
  await coming;
  await restore();
  const seen = {
    now: new Date(),
    received: [],
    stored: null,
    asked_to_keep: [],
    removed_cards: [],
    shown_charges: [],
    of_this_version_since: null,
  };
  const held = await readFacts(ground.database, seen);
  const lost = before.filter(({ holds }) => !holds(held)).map(({ what }) => what);
  await inTransaction(db, (tx) =>
    beginRestore(tx, { id: systemIds.uuid(), restoredTo, at: new Date(), by: "operator:rehearsal" }),
  );
  await Promise.all(services.map((service) => service.start()));
  counts.differencesResolved += await untilWorkBegins(dependencies);
  for (let rounds = 0; rounds < ROUNDS_MAX && !(await crowd.goOn()); rounds += 1) await pause(200);
  const facts = await readFacts(ground.database, { ...seen, now: new Date() });
  const { neverTwoChargesForOneCause, collectedAtMostOnce } = ALWAYS;
  counts.acknowledged += before.length;
  counts.orders = facts.orders.length;
  const found = violations({ neverTwoChargesForOneCause, collectedAtMostOnce } as typeof ALWAYS, facts);
  return { lost, chargedTwice: found };
}

const ROUNDS_MAX = 20;
const CHECKS_MAX = 10;

/** Acts as two operators: checks, resolves each difference as the check advises, and checks again. */
async function untilWorkBegins(dependencies: CheckRestoreDependencies): Promise<number> {
  let resolved = 0;
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const restore = await findOpenRestore(dependencies.db);
    if (restore === null) return resolved;
    const { findings } = await checkRestore(dependencies, restore, "operator:rehearsal");
    for (const { exception, advice } of findings) {
      if (exception === null) continue;
      const request = { resolution: advice.resolution ?? "handled", note: "after a restore" } as const;
      for (const actor of ["operator:rehearsal", "operator:second"]) {
        const { isDone } = await resolveException(dependencies, exception, { ...request, actor });
        if (isDone) break;
      }
      resolved += 1;
    }
  }
  throw new Error("Work did not begin after a restore.");
}
