import { type ChildProcess, spawn } from "node:child_process";

/** Thrown when a part of the product did not start, or ended although it should run. */
export class PartFailed extends Error {
  override name = "PartFailed";
}

/** A part of the product, running as a separate process. */
export interface Part {
  readonly name: string;
  /** The leader of its process group; undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Settles when the process has ended, with its exit code. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGTERM" ? 0 : 1)));
  });
}

/**
 * Starts a Node program in a separate process group, so that Ctrl-C reaches only the starter, which then stops the
 * parts in the right order. A part that does not stop in time is killed.
 */
export function startPart(
  name: string,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  stopWithinMs: number,
): Part {
  const child = spawn(process.execPath, argv, {
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const ended = exitOf(child);
  return {
    name,
    pid: child.pid,
    ended,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Runs a Node program to its end and returns its output. Throws `PartFailed` with the program's error output if it
 * failed, and stops it when `interrupted`.
 */
export async function runToEnd(
  name: string,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  interrupted: AbortSignal,
): Promise<string> {
  const child = spawn(process.execPath, argv, {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    signal: interrupted,
  });
  const written = { out: "", error: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    written.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    written.error += chunk.toString();
  });
  if ((await exitOf(child)) !== 0) throw new PartFailed(written.error.trim() || `${name} failed`);
  return written.out;
}

/** Waits until a URL answers 200. Throws `PartFailed` if the part ends first or the time is up. */
export async function untilReady(part: Part, url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let hasEnded = false;
  void part.ended.then(() => {
    hasEnded = true;
  });
  while (Date.now() < deadline) {
    if (hasEnded) throw new PartFailed(`${part.name} ended before it was ready; its output is above.`);
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new PartFailed(`${part.name} was not ready within ${timeoutMs / 1_000} s (${url}).`);
}
