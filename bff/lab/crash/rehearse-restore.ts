import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { readConfig } from "../../src/app/config.ts";
import { openKeyring, openStorage } from "../../src/app/open-storage.ts";
import { runCommandOf } from "../../src/back-office/run-command.ts";
import type { Gateways } from "../../src/gateways/gateways.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { findOpenRestore } from "../../src/platform/restore-store.ts";
import { type Facts, readFacts } from "../sim/facts.ts";
import { ALWAYS, violations } from "../sim/invariants.ts";
import { type Random, randomOf } from "../sim/random.ts";
import { type Crowd, createCrowd } from "./crowd.ts";
import { type Base, type DrillOptions, openBase, seenBy } from "./drill.ts";
import { type PostgresCluster, startPostgresCluster } from "./postgres-cluster.ts";
import { type Processes, startProcesses, tellReceivers } from "./processes.ts";

export interface RestoreOptions extends Omit<DrillOptions, "databaseUrl"> {
  /** How often the database is restored. */
  readonly times: number;
}

export interface RestoreOutcome {
  readonly restores: number;
  readonly orders: number;
  /** Work acknowledged before the restored moments. */
  readonly acknowledged: number;
  /** The commands that were typed, as `aapd restore` printed them. */
  readonly commands: number;
  readonly lost: number;
  readonly doubled: number;
  /** Charges and loans of orders that the restore lost, and that were neither returned nor cancelled. */
  readonly kept: number;
  /** The greatest age of the newest archived log: newer data is lost if both machines are. */
  readonly recoveryPointSeconds: number;
  /** The seconds from the stop of every process until work resumed, at most. */
  readonly recoverySeconds: number;
  readonly wrong: readonly string[];
}

interface Rehearsing extends Base {
  readonly options: RestoreOptions;
  readonly random: Random;
  readonly cluster: PostgresCluster;
  readonly processes: Processes;
  readonly operators: readonly string[];
}

/**
 * Restores PostgreSQL to a random moment repeatedly, with pgBackRest and the runbook's commands, while customers use
 * the service and the outside parties keep their state. The operators type only what `aapd restore` prints. Customers
 * without an answer retry afterwards.
 */
export async function rehearseRestores(options: RestoreOptions): Promise<RestoreOutcome> {
  const { folder, seed, times, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const cluster = await startPostgresCluster(join(folder, "postgresql"));
    closing.push(() => cluster.close());
    await cluster.backUp();
    const { databaseUrl } = cluster;
    const base = await openBase({ folder, databaseUrl }, closing);
    const each = [1, 2].map(() => ({ databaseUrl, plant: null }));
    const processes = await startProcesses({ folder, each }, closing);
    await tellReceivers(base.ground, processes.urls);
    const operators = await addOperators(base, environmentOf({ folder, databaseUrl }));
    const rehearsing = { ...base, options, random: randomOf(`restore:${seed}`), cluster, processes, operators };
    const restored: Restored[] = [];
    for (let time = 1; time <= times; time += 1) {
      const one = await loseAndRestore(rehearsing, time);
      restored.push(one);
      say(
        `restore ${time}: ${one.acknowledged} acknowledged before, ${one.lost.length} lost, ${one.doubled.length} doubled, ${one.commands} commands, ${one.recoverySeconds} s`,
      );
    }
    const sum = (of: (one: Restored) => number) => restored.reduce((total, one) => total + of(one), 0);
    const most = (of: (one: Restored) => number) => Math.max(...restored.map(of));
    return {
      restores: times,
      orders: most(({ orders }) => orders),
      acknowledged: sum(({ acknowledged }) => acknowledged),
      commands: sum(({ commands }) => commands),
      lost: sum(({ lost }) => lost.length),
      doubled: most(({ doubled }) => doubled.length),
      recoveryPointSeconds: most(({ archiveLagSeconds }) => archiveLagSeconds),
      recoverySeconds: most(({ recoverySeconds }) => recoverySeconds),
      kept: restored.at(-1)?.kept.length ?? 0,
      wrong: restored.flatMap(({ lost, doubled, kept }) => [
        ...lost.map((what) => `lost: ${what}`),
        ...doubled,
        ...kept,
      ]),
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

interface Restored {
  readonly orders: number;
  readonly acknowledged: number;
  readonly commands: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly kept: readonly string[];
  readonly archiveLagSeconds: number;
  readonly recoverySeconds: number;
}

const ROUNDS_MAX = 50;
/** How much acknowledged work a restore loses, unless that takes too long. */
const LOST_MIN = 60;
const LOSE_WITHIN_MS = 30_000;

async function loseAndRestore(rehearsing: Rehearsing, time: number): Promise<Restored> {
  const { options, random, ground, receivers, cluster, processes } = rehearsing;
  const { services, urls } = processes;
  const { world, partners, database } = ground;
  const crowd = createCrowd({ seed: options.seed + time * 1_000, world, partners, urls });
  const coming = crowd.come(options.customersAtOnce);
  await pause(4_000 + random.below(4_000));
  const before = crowd.acknowledged();
  const restoredTo = await databaseNow(database.db);
  for (let waited = 0; waited < LOSE_WITHIN_MS && crowd.acknowledged().length < before.length + LOST_MIN; waited += 500)
    await pause(500);
  await pause(random.below(1_000));
  const archiveLagSeconds = Math.round(await cluster.archiveLagSeconds());
  await Promise.all(services.map((service) => service.kill()));
  const stoppedAt = performance.now();
  crowd.stopComing();
  await coming;
  const putBack = await cluster.keepTables("public.sandbox*");
  await cluster.restoreTo(restoredTo);
  await putBack();
  const held = await readFacts(database, seenBy(receivers));
  const lost = before.filter(({ holds }) => !holds(held)).map(({ what }) => what);
  const commands = await walk(rehearsing, crowd, restoredTo);
  const recoverySeconds = Math.round((performance.now() - stoppedAt) / 1_000);
  await cluster.untilWhole();
  for (let rounds = 0; rounds < ROUNDS_MAX && !(await crowd.goOn()); rounds += 1) await pause(200);
  const facts = await untilMoneyIsBack(rehearsing);
  // Announcements of lost orders have arrived, so that only promises about money are compared.
  const { neverTwoChargesForOneCause, collectedAtMostOnce, refundsStayWithinBounds } = ALWAYS;
  const ofMoney = { neverTwoChargesForOneCause, collectedAtMostOnce, refundsStayWithinBounds } as typeof ALWAYS;
  return {
    orders: facts.orders.length,
    acknowledged: before.length,
    commands,
    lost,
    doubled: [...new Set([...violations(ofMoney, facts), ...crowd.wrong])],
    kept: keptMoney(facts),
    archiveLagSeconds,
    recoverySeconds,
  };
}

const RETURNED_WITHIN_MS = 60_000;

/** Waits until the returns that the operators have requested are made. */
async function untilMoneyIsBack({ ground, receivers }: Rehearsing): Promise<Facts> {
  const deadline = performance.now() + RETURNED_WITHIN_MS;
  for (;;) {
    const facts = await readFacts(ground.database, seenBy(receivers));
    if (keptMoney(facts).length === 0 || performance.now() > deadline) return facts;
    await pause(500);
  }
}

/** What patients have paid or owe for orders that the books do not know. */
function keptMoney({ orders, sandbox_movements: movements, sandbox_loans: loans }: Facts): string[] {
  const known = new Set(orders.map(({ id }) => id));
  const charges = movements.filter(({ kind, order_hash }) => kind === "charge" && !known.has(order_hash));
  return [
    ...charges
      .filter(({ amount, returned }) => returned < amount)
      .map(({ id, amount, returned }) => `kept: ${amount - returned} pesos of charge ${id}`),
    ...loans
      .filter(({ order_hash, status }) => !known.has(order_hash) && status === "confirmed")
      .map(({ idempotency_key, remaining }) => `owed: ${remaining} pesos of loan ${idempotency_key}`),
  ];
}

/** A moment of the server whose data is restored. */
async function databaseNow(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return new Date(rows[0]?.now ?? Number.NaN);
}

const COMMANDS_MAX = 40;

/**
 * Two operators type what `aapd restore` prints until work has resumed. The processes start once work is held back.
 * Returns the number of typed commands.
 */
async function walk(
  { options, cluster, ground, processes, operators }: Rehearsing,
  crowd: Crowd,
  restoredTo: Date,
): Promise<number> {
  const environment = environmentOf({ folder: options.folder, databaseUrl: cluster.databaseUrl });
  const type = async (command: string, token: string) => {
    const printed = await typed(command, { ...environment, AAPD_OPERATOR_TOKEN: token }, ground.world.parties);
    await appendFile(join(options.folder, "operators.log"), `$ ${command}\n${printed}\n`);
    return printed;
  };
  const [first = "", second = ""] = operators;
  await type(`aapd restore begin --to ${restoredTo.toISOString()}`, first);
  await Promise.all(processes.services.map((service) => service.start()));
  for (let commands = 1; commands < COMMANDS_MAX; commands += 1) {
    const printed = await type("aapd restore", first);
    if ((await findOpenRestore(ground.database.db)) === null) return commands;
    // As advised, each clinic sends its refunds again.
    if (printed.includes("Have the clinic send it again") && (await crowd.sendRefundsAgain())) continue;
    const [next = ""] = printed.split("\n").filter((line) => /^ {2}aapd exceptions /.test(line));
    const command = next.trim().endsWith("--note") ? `${next.trim()} checked-with-the-party` : next.trim();
    if (command === "") continue;
    for (const token of [first, second]) await type(command, token);
    commands += 2;
  }
  throw new Error("Work did not begin after a restore.");
}

/** Runs a printed command. A refusal is printed like an answer, and the operator continues. */
async function typed(command: string, environment: NodeJS.ProcessEnv, gateways: Gateways): Promise<string> {
  const wrote: string[] = [];
  const write = (text: string) => void wrote.push(text);
  const config = readConfig(environment);
  const readService = () => ({
    config,
    openStorage: (logger: Logger) => openStorage(config, logger),
    openKeyring: () => openKeyring(config),
    chooseGateways: () => gateways,
  });
  const migrate = () => Promise.reject(new Error("No restore migrates."));
  await runCommandOf({ readService, migrate, environment, write, writeError: write }, command.split(" ").slice(1), []);
  return wrote.join("");
}

function environmentOf({ folder, databaseUrl }: { readonly folder: string; readonly databaseUrl: string }) {
  return {
    ENVIRONMENT: "staging",
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, "bff"),
    LOG_LEVEL: "silent",
    WEBHOOKS_ALLOW_LOOPBACK: "true",
  };
}

/** Two operators who may approve at once. Returns their tokens. */
async function addOperators({ ground }: Base, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (const name of ["camila.rojas", "diego.soto"]) {
    const printed = await typed(`aapd operator add ${name}`, environment, ground.world.parties);
    const [, token] = /AAPD_OPERATOR_TOKEN=(\S+)/.exec(printed) ?? [];
    if (token === undefined) throw new Error(`No operator was added: ${printed}`);
    tokens.push(token);
  }
  // New operators approve nothing for 24 hours.
  await sql`update operators set added_at = added_at - interval '2 days',
    approves_from = approves_from - interval '2 days'`.execute(ground.database.db);
  return tokens;
}
