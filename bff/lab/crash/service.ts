import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../../dist/sandbox/main.js", import.meta.url));
const READY_WITHIN_MS = 60_000;

/** One process of the service. It may be killed at any time and restarts at the same address. */
export interface Service {
  readonly name: string;
  /** The address of its probes. */
  readonly url: string;
  /** Resolves once it serves. Throws if that takes over a minute, or if it exits. */
  start(): Promise<void>;
  /** SIGKILL: all its work stops. */
  kill(): Promise<void>;
  /** Lets it finish its running work; kills it after this many milliseconds, as a supervisor does. */
  stop(graceMs?: number): Promise<void>;
  /** Suspends it, as a frozen machine does; `false` wakes it. */
  freeze(isFrozen: boolean): void;
  /** Prevents its files from growing, as on a full disk; `false` restores the space. */
  fillDisk(isFull: boolean): Promise<void>;
}

export interface ServiceOptions {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The address of its probes. */
  readonly url: string;
  readonly log: WriteStream;
}

/** The last characters of what a service wrote that are shown if it does not start. */
const OUTPUT_SHOWN_MAX = 2_000;

/** Thrown when a service does not start: a defect, or a machine that is too slow. */
class DidNotStart extends Error {
  override readonly name = "DidNotStart";
}

export function createService({ name, environment, url, log }: ServiceOptions): Service {
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals, graceMs?: number) => {
    const ended = child;
    child = null;
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = once(ended, "exit");
    ended.kill(signal);
    const isLate = graceMs !== undefined && (await Promise.race([exit.then(() => false), pause(graceMs, true)]));
    if (isLate) ended.kill("SIGKILL");
    await exit;
  };
  return {
    name,
    url,
    async start() {
      const started = spawn(process.execPath, [PROGRAM], {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      let written = "";
      for (const output of [started.stdout, started.stderr]) {
        output.pipe(log, { end: false });
        output.on("data", (chunk: Buffer) => {
          written = `${written}${chunk.toString()}`.slice(-OUTPUT_SHOWN_MAX);
        });
      }
      const deadline = performance.now() + READY_WITHIN_MS;
      while (!(await isReady(url))) {
        if (started.exitCode !== null) throw new DidNotStart(`${name} ended with ${started.exitCode}: ${written}`);
        if (performance.now() > deadline) throw new DidNotStart(`${name} did not come up in time.`);
        await pause(25);
      }
    },
    kill: () => end("SIGKILL"),
    stop: (graceMs) => end("SIGTERM", graceMs),
    freeze: (isFrozen) => void child?.kill(isFrozen ? "SIGSTOP" : "SIGCONT"),
    async fillDisk(isFull) {
      const pid = child?.pid;
      if (pid === undefined) return;
      const limit = isFull ? "--fsize=0:unlimited" : "--fsize=unlimited:unlimited";
      // It may have ended a moment ago.
      await promisify(execFile)("prlimit", [limit, "--pid", String(pid)]).catch(() => undefined);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
