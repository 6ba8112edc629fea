import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createKeyring, type Keyring } from "../../src/platform/keyring.ts";
import { readOrMakeKeyringFile } from "../../src/platform/keyring-file.ts";
import { readFacts, type Seen } from "../sim/facts.ts";
import { ALWAYS, violations } from "../sim/invariants.ts";
import type { PartnerReceiver } from "../sim/partner-receivers.ts";
import { type Crowd, createCrowd, type FaceUrls, type Watch } from "./crowd.ts";
import { type Ground, prepareGround } from "./ground.ts";
import { type ProcessOptions, startProcesses, tellReceivers } from "./processes.ts";
import { type FiredAlert, type Prometheus, startShippedPrometheus } from "./prometheus.ts";
import { startPartnerReceiver } from "./receivers.ts";
import type { Service } from "./service.ts";

/** What every drill is given. */
export interface DrillOptions {
  readonly seed: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly customersAtOnce: number;
  readonly say: (line: string) => void;
}

/** The database with its partners, and the partners' receivers. */
export interface Base {
  readonly ground: Ground;
  readonly keyring: Keyring;
  readonly receivers: readonly PartnerReceiver[];
}

export async function openBase(
  { folder, databaseUrl }: Pick<DrillOptions, "folder" | "databaseUrl">,
  closing: (() => unknown)[],
): Promise<Base> {
  const receivers = [await startPartnerReceiver(), await startPartnerReceiver()];
  closing.push(() => receivers.map(({ close }) => close()));
  await mkdir(join(folder, "bff"), { recursive: true });
  const keys = await readOrMakeKeyringFile(join(folder, "bff/keyring.json"));
  const keyring = createKeyring({ keys, environment: "staging" });
  const ground = await prepareGround(databaseUrl, keyring, receivers);
  closing.push(() => ground.database.close());
  return { ground, keyring, receivers };
}

/** A request that a client who never retries would have seen fail. */
export interface Failed {
  readonly what: string;
  readonly sentAt: number;
}

/** Production's shape in use: two processes behind the shipped nginx, customers, and the shipped Prometheus. */
export interface Drill extends Base {
  /** In the order of `deploy/compose.yaml`. */
  readonly services: readonly Service[];
  readonly urls: FaceUrls;
  readonly crowd: Crowd;
  readonly failed: readonly Failed[];
  readonly prometheus: Prometheus;
  answers(): number;
}

export interface OpenDrillOptions extends DrillOptions {
  /** The two processes; without it, both use the database directly. */
  readonly each?: readonly ProcessOptions[];
  /** How long a process keeps serving after it was asked to stop. */
  readonly drainSeconds?: number;
  /** Called for every answer. */
  readonly watch?: Watch;
}

/** Errors of the sandbox's own parties: their outage is not a fault of the service. */
const SIMULATED: ReadonlySet<unknown> = new Set(["identity_registry_unavailable"]);

/** Alerts that the customers cause, because they pay less often than patients. */
const OF_CUSTOMERS: ReadonlySet<string> = new Set(["CheckoutsDoNotEnd", "CheckoutsEndLessOften"]);

export async function openDrill(options: OpenDrillOptions, closing: (() => unknown)[]): Promise<Drill> {
  const { folder, seed, databaseUrl, drainSeconds = 0, watch } = options;
  const base = await openBase(options, closing);
  const { ground } = base;
  const { each = [1, 2].map(() => ({ databaseUrl, plant: null })) } = options;
  const { services, urls } = await startProcesses({ folder, each, drainSeconds }, closing);
  await tellReceivers(ground, urls);
  const targets = services.map(({ url }) => new URL(url).host);
  const started = await startShippedPrometheus(folder, targets);
  closing.push(() => started.stop());
  const prometheus: Prometheus = {
    ...started,
    firedSince: async (moment) => (await started.firedSince(moment)).filter(({ name }) => !OF_CUSTOMERS.has(name)),
  };
  let answers = 0;
  const failed: Failed[] = [];
  const crowd = createCrowd({
    ...{ seed, world: ground.world, partners: ground.partners, urls, isAnswered: true },
    watch(request, answer, sentAt) {
      answers += 1;
      watch?.(request, answer, sentAt);
      if (answer !== null && (answer.status < 500 || SIMULATED.has(answer.body?.code))) return;
      const path = request.url.split("?")[0]?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{hash}");
      failed.push({ what: `${request.method} ${path}: ${answer?.status ?? "no answer"}`, sentAt });
    },
  });
  return { ...base, services, urls, crowd, failed, prometheus, answers: () => answers };
}

/** How often customers who wait for an answer try again before a drill is assessed. */
const ROUNDS_MAX = 50;

/** What became of the acknowledged work. */
export interface Assessed {
  readonly acknowledged: number;
  readonly lost: readonly string[];
  /** Broken promises about money and messages, such as a second charge. */
  readonly doubled: readonly string[];
}

/** Waits until every customer has an answer, and compares the acknowledged work with the database and all lists. */
export async function assess({
  ground,
  receivers,
  crowd,
}: Pick<Drill, "ground" | "receivers" | "crowd">): Promise<Assessed> {
  for (let rounds = 0; rounds < ROUNDS_MAX && !(await crowd.goOn()); rounds += 1) await pause(200);
  const facts = await readFacts(ground.database, seenBy(receivers));
  const acknowledged = crowd.acknowledged();
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ holds }) => !holds(facts)).map(({ what }) => what),
    doubled: [...new Set(violations(ALWAYS, facts))],
  };
}

/** These customers save no card, and files are not compared. */
export function seenBy(receivers: readonly PartnerReceiver[]): Seen {
  return {
    now: new Date(),
    received: receivers.flatMap(({ received }) => received),
    stored: null,
    asked_to_keep: [],
    removed_cards: [],
    shown_charges: [],
    of_this_version_since: null,
  };
}

/** The faults of an assessed drill, as sentences. */
export function faultsOf({ lost, doubled }: Assessed, crowd: Crowd): string[] {
  return [...lost.map((what) => `lost: ${what}`), ...doubled, ...crowd.wrong];
}

/** `DatabaseSilent (page, 46 s)` */
export function describeAlert({ name, severity, at }: FiredAlert, since: Date): string {
  return `${name} (${severity}, ${Math.round((at.getTime() - since.getTime()) / 1_000)} s)`;
}
