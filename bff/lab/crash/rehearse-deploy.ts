import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createKeyring } from "../../src/platform/keyring.ts";
import { readOrMakeKeyringFile } from "../../src/platform/keyring-file.ts";
import { createCrowd } from "./crowd.ts";
import { prepareGround } from "./ground.ts";
import { startProcesses, tellReceivers } from "./processes.ts";
import { startPartnerReceiver } from "./receivers.ts";
import type { Service } from "./service.ts";

export interface DeployOptions {
  readonly seed: number;
  /** How often every process is replaced. */
  readonly times: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly customersAtOnce: number;
  /** Processes are killed instead of stopped. */
  readonly isAbrupt: boolean;
  readonly say: (line: string) => void;
}

export interface DeployOutcome {
  readonly processesReplaced: number;
  readonly answers: number;
  /** Errors seen by a client that never retries: no answer, or an error of the service or of nginx. */
  readonly errors: number;
  /** Errors of requests that were sent after the process had ended. */
  readonly errorsAfterwards: number;
  /** The maximum number of errors while one process was replaced. */
  readonly errorsAtOnceMax: number;
  readonly wrong: readonly string[];
}

const DRAIN_SECONDS = 2;
/** Requests in progress in a killed process are lost. */
const ERRORS_OF_KILL_MAX = 5;

/** Longer than nginx skips a failed process. */
const LEFT_OUT_MS = 3_500;

interface Failed {
  readonly what: string;
  readonly sentAt: number;
}

/**
 * Replaces every process repeatedly while customers use the service, with the shipped configuration files. The
 * processes run behind `deploy/nginx.conf` and are replaced in the order given in `docs/start/deployment.md`, each once
 * the previous one is ready.
 */
export async function rehearseDeploys(options: DeployOptions): Promise<DeployOutcome> {
  const { folder, seed, databaseUrl, isAbrupt, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const receivers = [await startPartnerReceiver(), await startPartnerReceiver()];
    closing.push(() => receivers.map(({ close }) => close()));
    await mkdir(join(folder, "bff"), { recursive: true });
    const keys = await readOrMakeKeyringFile(join(folder, "bff/keyring.json"));
    const ground = await prepareGround(databaseUrl, createKeyring({ keys, environment: "staging" }), receivers);
    closing.push(() => ground.database.close());
    const drainSeconds = isAbrupt ? 0 : DRAIN_SECONDS;
    const { services, urls } = await startProcesses(
      { folder, databaseUrl, count: 2, plant: null, drainSeconds },
      closing,
    );
    await tellReceivers(ground, urls);
    const seen = { answers: 0, failed: [] as Failed[] };
    const crowd = createCrowd({
      ...{ seed, world: ground.world, partners: ground.partners, urls },
      watch({ method, url }, answer, sentAt) {
        seen.answers += 1;
        if (answer !== null && (answer.status < 500 || SIMULATED.has(answer.body?.code))) return;
        const path = url.split("?")[0]?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{hash}");
        seen.failed.push({ what: `${method} ${path}: ${answer?.status ?? "no answer"}`, sentAt });
      },
    });
    const coming = crowd.come(options.customersAtOnce);
    const order = await writtenOrder(services);
    const wrong: string[] = [];
    const counts = { processesReplaced: 0, errorsAfterwards: 0, errorsAtOnceMax: 0 };
    for (let time = 1; time <= options.times; time += 1) {
      for (const service of order) {
        const before = seen.failed.length;
        const goneAt = await replace(service, isAbrupt);
        const errors = seen.failed.slice(before);
        const afterwards = errors.filter(({ sentAt }) => sentAt > goneAt);
        counts.processesReplaced += 1;
        counts.errorsAfterwards += afterwards.length;
        counts.errorsAtOnceMax = Math.max(counts.errorsAtOnceMax, errors.length);
        const isTooMany = errors.length > (isAbrupt ? ERRORS_OF_KILL_MAX : 0);
        for (const { what } of isTooMany ? errors : afterwards) wrong.push(`${service.name}, time ${time}: ${what}`);
      }
      say(`deploy ${time}: ${seen.answers} answers, ${seen.failed.length} errors`);
    }
    crowd.stopComing();
    await coming;
    const { answers, failed } = seen;
    return { answers, errors: failed.length, ...counts, wrong: [...wrong, ...crowd.wrong] };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Returns the time at which the process had ended, as `performance.now()`. */
async function replace(service: Service, isAbrupt: boolean): Promise<number> {
  // Kills the process while both serve requests, although a deploy would wait.
  if (isAbrupt) await pause(LEFT_OUT_MS);
  await (isAbrupt ? service.kill() : service.stop());
  const goneAt = performance.now();
  await service.start();
  return goneAt;
}

/** The processes in the documented order of replacement. The documented command waits for each. */
async function writtenOrder(services: readonly Service[]): Promise<readonly Service[]> {
  const written = await readFile(new URL("../../docs/start/deployment.md", import.meta.url), "utf8");
  const commands = written.matchAll(/^ {4}docker compose up --detach --no-deps --wait (aapd-\d)$/gm);
  const names = [...commands].map(([, name]) => name);
  const order = names.flatMap((name) => services.filter((service) => service.name === name));
  if (order.length !== services.length) throw new Error(`The documents replace ${names.join(", ") || "no process"}.`);
  return order;
}

/** Errors of the sandbox's own parties: their outage is not a fault of the service. */
const SIMULATED: ReadonlySet<unknown> = new Set(["identity_registry_unavailable"]);
