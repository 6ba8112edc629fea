import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { openDatabase } from "../../src/platform/database/database.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { type Facts, readFacts } from "../sim/facts.ts";
import { ALWAYS, AT_REST, violations } from "../sim/invariants.ts";
import type { PartnerReceiver } from "../sim/partner-receivers.ts";
import { type Random, randomOf } from "../sim/random.ts";
import type { Partner } from "../sim/world.ts";
import { type Crowd, createCrowd, type FaceUrls } from "./crowd.ts";
import { openBase, seenBy } from "./drill.ts";
import type { Ground } from "./ground.ts";
import { openPostgresTroubles, type PostgresTroubles } from "./postgres-troubles.ts";
import { startProcesses, tellReceivers } from "./processes.ts";
import { REAL_RECEIVER_MODES } from "./receivers.ts";
import type { Service } from "./service.ts";

export interface CrashOptions {
  readonly seed: number;
  readonly kills: number;
  /** An empty folder for everything that the processes write. */
  readonly folder: string;
  /** A new database, with the superuser's address of its server; null for the embedded database. */
  readonly postgres: { readonly url: string; readonly serverUrl: string } | null;
  readonly customersAtOnce: number;
  /** True if every kind of fault occurs in turn, in an order set by the seed. */
  readonly eachKind: boolean;
  /** The file in `plants/`, without its extension, that the processes load first; null for none. */
  readonly plant: string | null;
  readonly say: (line: string) => void;
}

export interface CrashOutcome {
  readonly kills: number;
  readonly databaseRestarts: number;
  readonly timesOutOfConnections: number;
  readonly timesDiskFull: number;
  readonly orders: number;
  readonly paid: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubleCharges: number;
  readonly violations: readonly string[];
}

const INSTANCES_ON_POSTGRES = 2;
/** How far time is moved at the end: past day 45 and all collection attempts. */
const REST = "75d";
const REST_WITHIN_MS = 10 * 60_000;

interface Playing {
  readonly options: CrashOptions;
  readonly random: Random;
  readonly services: readonly Service[];
  readonly receivers: readonly PartnerReceiver[];
  readonly postgres: PostgresTroubles | null;
  readonly counts: { kills: number; databaseRestarts: number; timesOutOfConnections: number; timesDiskFull: number };
}

/**
 * Kills processes of the service repeatedly while customers use it, repairs everything, lets two months pass, and
 * returns the violations.
 */
export async function playCrash(options: CrashOptions): Promise<CrashOutcome> {
  const { folder, postgres, seed } = options;
  const closing: (() => unknown)[] = [];
  try {
    const url = postgres?.url ?? join(folder, "bff/database");
    const { ground, receivers } = await openBase({ folder, databaseUrl: url }, closing);
    // No other process can open an embedded database.
    if (postgres === null) await ground.database.close();
    const each = Array.from({ length: postgres === null ? 1 : INSTANCES_ON_POSTGRES }, () => ({
      databaseUrl: url,
      plant: options.plant,
    }));
    const { services, urls } = await startProcesses({ folder, each }, closing);
    const troubles = postgres === null ? null : await openPostgresTroubles(postgres.serverUrl);
    closing.push(() => troubles?.close());
    await tellReceivers(ground, urls);
    const counts = { kills: 0, databaseRestarts: 0, timesOutOfConnections: 0, timesDiskFull: 0 };
    const playing = { options, random: randomOf(`crash:${seed}`), services, receivers, postgres: troubles, counts };
    const crowd = createCrowd({ seed, world: ground.world, partners: ground.partners, urls });
    const coming = crowd.come(options.customersAtOnce);
    const kinds = options.eachKind ? shuffled(kindsHere(postgres !== null), playing.random) : [];
    while (counts.kills < options.kills) await makeTrouble(playing, kinds[counts.kills % kinds.length]);
    crowd.stopComing();
    await coming;
    const early = await lookEarly(playing, ground, crowd);
    if (early !== null) return early;
    await comeToRest(playing, ground, crowd, urls);
    return await look(playing, ground, crowd, url);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Additional faults while a process is killed. */
const KINDS = ["nothing_else", "database_restart", "out_of_connections", "disk_full"] as const;
type Kind = (typeof KINDS)[number];

/** An embedded database has no server to restart and no connections, and its files share a disk with uploads. */
function kindsHere(isServer: boolean): readonly Kind[] {
  return isServer ? KINDS : ["nothing_else"];
}

function shuffled(kinds: readonly Kind[], random: Random): readonly Kind[] {
  const left = [...kinds];
  return kinds.flatMap(() => left.splice(random.below(left.length), 1));
}

function kindByChance(random: Random, isServer: boolean): Kind {
  const dice = random.below(100);
  if (!isServer || dice >= 20) return "nothing_else";
  return dice < 8 ? "database_restart" : dice < 14 ? "out_of_connections" : "disk_full";
}

/** A process is killed and restarted, sometimes together with another fault. */
async function makeTrouble(playing: Playing, wanted?: Kind): Promise<void> {
  const { options, random, services, receivers, postgres, counts } = playing;
  await pause(150 + random.below(900));
  for (const receiver of receivers) receiver.mode = random.percent(60) ? "up" : random.pick(REAL_RECEIVER_MODES);
  const kind = wanted ?? kindByChance(random, postgres !== null);
  if (kind === "database_restart") {
    counts.databaseRestarts += 1;
    await postgres?.restart();
  } else if (kind === "out_of_connections") {
    counts.timesOutOfConnections += 1;
    await postgres?.takeAllConnections(800);
  } else if (kind === "disk_full") {
    counts.timesDiskFull += 1;
    for (const service of services) await service.fillDisk(true);
    await pause(800);
    for (const service of services) await service.fillDisk(false);
  }
  const victim = services[random.below(services.length)];
  if (victim === undefined) return;
  await victim.kill();
  counts.kills += 1;
  if (counts.kills % 10 === 0) options.say(`${counts.kills} kills`);
  await victim.start();
}

const DAY_SECONDS = 86_400;
const MOVE_LOOK_MS = 1_000;
const moveSchema = z.object({ remaining_seconds: z.number() });

/**
 * Everything runs again: unanswered requests are retried, and two months pass. Nothing is retried afterwards, because a
 * payment made then would need another two months to be collected.
 */
async function comeToRest(
  { receivers, options }: Playing,
  ground: Ground,
  crowd: Crowd,
  urls: FaceUrls,
): Promise<void> {
  for (const receiver of receivers) receiver.mode = "up";
  for (let rounds = 0; rounds < 20 && !(await crowd.goOn()); rounds += 1) await pause(500);
  options.say(`${crowd.customers().length} orders; time passes`);
  await Promise.all(ground.partners.map((partner) => letTimePass(partner, urls, options.say)));
}

async function letTimePass(
  { credentials, provider }: Partner,
  urls: FaceUrls,
  say: (line: string) => void,
): Promise<void> {
  const deadline = performance.now() + REST_WITHIN_MS;
  const headers = {
    authorization: `Bearer ${credentials.client_secret}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID(),
  };
  const move = { method: "PUT", headers, body: JSON.stringify({ advance: REST }) };
  let isMoving = false;
  let reported = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await fetch(`${urls.order}/sandbox/clock`, isMoving ? { headers } : move);
    const remaining = await remainingOf(answer);
    if (remaining === null) say(`${provider.name}: the clock was answered ${answer.status}`);
    else {
      if (remaining === 0) return;
      isMoving = true;
      const days = Math.ceil(remaining / DAY_SECONDS);
      if (days < reported) say(`${provider.name}: ${days} days to go`);
      reported = Math.min(reported, days);
    }
    if (performance.now() > deadline) throw new Error("Two months did not pass in time.");
    await pause(MOVE_LOOK_MS);
  }
}

/** How far the clock still has to move; null if the answer is an error, such as one of a proxy. */
async function remainingOf(answer: Response): Promise<number | null> {
  const body: unknown = await answer.json().catch(() => null);
  return answer.ok ? moveSchema.parse(body).remaining_seconds : null;
}

/** Finds existing violations before the two months pass. An embedded database cannot be read while it is in use. */
async function lookEarly(playing: Playing, { database }: Ground, crowd: Crowd): Promise<CrashOutcome | null> {
  if (playing.options.postgres === null) return null;
  const facts = await readFacts(database, seenBy(playing.receivers));
  const wrong = [...crowd.wrong, ...lostOf(crowd, facts), ...violations(ALWAYS, facts)];
  return wrong.length === 0 ? null : outcomeOf(playing, crowd, facts, wrong);
}

/** How long due work may take when nothing blocks it. */
const DONE_WITHIN_MS = 60_000;

async function look(playing: Playing, ground: Ground, crowd: Crowd, url: string): Promise<CrashOutcome> {
  const { options, services } = playing;
  const isEmbedded = options.postgres === null;
  const read = () => (isEmbedded ? readStopped(playing, url) : readFacts(ground.database, seenBy(playing.receivers)));
  let facts = await read();
  const deadline = performance.now() + DONE_WITHIN_MS;
  while (violations(AT_REST, facts).length > 0 && performance.now() < deadline) {
    // Requests that were still queued at a stop wait for the next start.
    if (isEmbedded) for (const service of services) await service.start();
    await pause(500);
    facts = await read();
  }
  const wrong = [...crowd.wrong, ...lostOf(crowd, facts), ...violations({ ...ALWAYS, ...AT_REST }, facts)];
  return outcomeOf(playing, crowd, facts, wrong);
}

/** An embedded database can only be read once its process has ended. */
async function readStopped(playing: Playing, url: string): Promise<Facts> {
  for (const service of playing.services) await service.stop();
  const database = await openDatabase({ url }, silentLogger);
  try {
    return await readFacts(database, seenBy(playing.receivers));
  } finally {
    await database.close();
  }
}

function lostOf(crowd: Crowd, facts: Facts): string[] {
  return crowd
    .acknowledged()
    .filter(({ holds }) => !holds(facts))
    .map(({ what }) => `acknowledgedIsThere: ${what}`);
}

function outcomeOf({ counts }: Playing, crowd: Crowd, facts: Facts, wrong: readonly string[]): CrashOutcome {
  return {
    ...counts,
    orders: facts.orders.length,
    paid: facts.events.filter(({ kind }) => kind === "order.paid").length,
    acknowledged: crowd.acknowledged().length,
    lost: lostOf(crowd, facts).length,
    doubleCharges: wrong.filter((sentence) => /^(?:neverTwoCharges|collectedAtMostOnce)/.test(sentence)).length,
    violations: [...new Set(wrong)],
  };
}
