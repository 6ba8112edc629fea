import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { assess, type Drill, type DrillOptions, describeAlert, faultsOf, openDrill } from "./drill.ts";
import type { FiredAlert } from "./prometheus.ts";
import type { Service } from "./service.ts";
import { SHIPPED_NGINX } from "./shipped-nginx.ts";

export interface DeployOptions extends DrillOptions {
  /** How often every process is replaced. */
  readonly times: number;
  /** Processes are killed instead of stopped. */
  readonly isAbrupt: boolean;
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
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** The alerts that fired. A deploy may cause no page. */
  readonly alerts: string;
  readonly wrong: readonly string[];
}

const DRAIN_SECONDS = 2;
/** Requests in progress in a killed process are lost. */
export const ERRORS_OF_KILL_MAX = 5;
/** How much longer to wait than nginx skips a failed process. */
const USED_AGAIN_MS = 1_500;

/**
 * Replaces every process repeatedly while customers use the service, with the shipped configuration files. The
 * processes run behind `deploy/nginx.conf` and are replaced in the order given in `docs/start/deployment.md`, each once
 * the previous one is ready.
 */
export async function rehearseDeploys(options: DeployOptions): Promise<DeployOutcome> {
  const { isAbrupt, say, times } = options;
  const closing: (() => unknown)[] = [];
  try {
    const drill = await openDrill({ ...options, drainSeconds: isAbrupt ? 0 : DRAIN_SECONDS }, closing);
    const { crowd, failed, answers } = drill;
    const begunAt = new Date();
    const coming = crowd.come(options.customersAtOnce);
    const order = await writtenOrder(drill.services);
    const replaced: Replaced[] = [];
    for (let time = 1; time <= times; time += 1) {
      for (const service of order) replaced.push(await replaceWatched(drill, service, { time, isAbrupt }));
      say(`${isAbrupt ? "kill" : "deploy"} ${time}: ${answers()} answers, ${failed.length} errors`);
    }
    crowd.stopComing();
    await coming;
    const fired = await drill.prometheus.firedSince(begunAt);
    const assessed = await assess(drill);
    const pages = isAbrupt ? [] : fired.filter(isPage).map(({ name }) => `a page: ${name}`);
    return {
      processesReplaced: replaced.length,
      answers: answers(),
      errors: failed.length,
      errorsAfterwards: replaced.reduce((sum, { afterwards }) => sum + afterwards, 0),
      errorsAtOnceMax: Math.max(...replaced.map(({ errors }) => errors)),
      acknowledged: assessed.acknowledged,
      lost: assessed.lost.length,
      doubled: assessed.doubled.length,
      alerts: fired.map((alert) => describeAlert(alert, begunAt)).join(", "),
      wrong: [...replaced.flatMap(({ wrong }) => wrong), ...pages, ...faultsOf(assessed, crowd)],
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** `OrdersFailFast` also fires on a machine that is too slow for its targets, so it proves nothing here. */
function isPage({ name, severity }: FiredAlert): boolean {
  return severity === "page" && name !== "OrdersFailFast";
}

interface Replaced {
  readonly errors: number;
  readonly afterwards: number;
  readonly wrong: readonly string[];
}

/** Replaces a process and counts the errors meanwhile. */
async function replaceWatched(
  { failed }: Drill,
  service: Service,
  { time, isAbrupt }: { readonly time: number; readonly isAbrupt: boolean },
): Promise<Replaced> {
  const before = failed.length;
  const goneAt = await replace(service, isAbrupt);
  const errors = failed.slice(before);
  const afterwards = errors.filter(({ sentAt }) => sentAt > goneAt);
  const isTooMany = errors.length > (isAbrupt ? ERRORS_OF_KILL_MAX : 0);
  const wrong = (isTooMany ? errors : afterwards).map(({ what }) => `${service.name}, time ${time}: ${what}`);
  return { errors: errors.length, afterwards: afterwards.length, wrong };
}

/** Returns the time at which the process had ended, as `performance.now()`. */
async function replace(service: Service, isAbrupt: boolean): Promise<number> {
  // Kills the process while both serve requests, although a deploy would wait.
  if (isAbrupt) await pause((await skippedSeconds()) * 1_000 + USED_AGAIN_MS);
  await (isAbrupt ? service.kill() : service.stop());
  const goneAt = performance.now();
  await service.start();
  return goneAt;
}

/** For how long the shipped nginx skips a failed process. */
async function skippedSeconds(): Promise<number> {
  const [, seconds] = /fail_timeout=(\d+)s/.exec(await readFile(SHIPPED_NGINX, "utf8")) ?? [];
  if (seconds === undefined) throw new Error("nginx.conf does not say for how long it skips a failed process.");
  return Number(seconds);
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
