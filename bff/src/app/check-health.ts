import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/*
 * The health check of a container that no other supervisor watches, such as compose's: healthy means ready. Compose
 * does not restart unhealthy containers, so the check kills a service that does not answer. Its container ends with it
 * and is restarted.
 */

/** How often liveness is tried before the service is killed. With the pauses it is longer than a start takes. */
const TRIES = 6;
const PAUSE_MS = 5_000;
const ANSWER_WITHIN_MS = 4_000;

export interface HealthCheck {
  /** The addresses of its readiness and liveness. */
  readonly ready: string;
  readonly alive: string;
  /** Whether the address answers with a 2xx. */
  readonly isAnswered: (url: string) => Promise<boolean>;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly kill: () => void;
}

/** Whether the service is ready. Kills it if it has not been alive for a while. */
export async function checkHealth({ ready, alive, isAnswered, pause, kill }: HealthCheck): Promise<boolean> {
  if (await isAnswered(ready)) return true;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await isAnswered(alive)) return false;
    await pause(PAUSE_MS);
  }
  kill();
  return false;
}

/** Checks the container's service; `program` is the file that it runs. */
export function checkContainer({
  ready,
  alive,
  program,
}: Pick<HealthCheck, "ready" | "alive"> & { readonly program: string }): Promise<boolean> {
  return checkHealth({ ready, alive, isAnswered, pause: wait, kill: () => killProgram(program) });
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}

/** Kills every process that runs this file as its program (Linux). A frozen process obeys no other signal. */
export function killProgram(program: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (argumentsOf(pid)[1] === program) process.kill(Number(pid), "SIGKILL");
  }
}

/** The arguments of a process; none if it has ended meanwhile. */
function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
