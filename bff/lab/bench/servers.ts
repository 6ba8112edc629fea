import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* Starts the processes of a benchmark. The server under test and its load run in separate processes. */

/** The message of `orders-service.ts` once it listens. */
export interface Service {
  readonly port: number;
  readonly spotPort: number;
  /** 0 if it does not serve the page. */
  readonly widgetPort: number;
  readonly providerId: string;
  readonly clientSecret: string;
  readonly clientId: string;
  readonly publicKey: string;
}

export interface Server<Ready> {
  /** The message that it sent when it was ready. */
  readonly ready: Ready;
  /** Sends a message and waits for the next message from the program. */
  request<Answer>(message: unknown): Promise<Answer>;
}

export const folder = await mkdtemp(join(tmpdir(), "aapd-bench-"));
const children: ChildProcess[] = [];

/** Starts a program. Its standard output, which is its log, goes to a file, as in production. */
export async function startServer<Ready>(program: string, ...args: readonly string[]): Promise<Server<Ready>> {
  const log = await open(join(folder, `${program}-${children.length}.log`), "w");
  const profile =
    process.env.BENCH_PROFILE === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.env.BENCH_PROFILE}`];
  const path = new URL(`./${program}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...profile, "--conditions=source", path, ...args], {
    stdio: ["ignore", log.fd, "inherit", "ipc"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  children.push(child);
  await log.close();
  const ended = new AbortController();
  child.once("exit", () => ended.abort(new Error(`${program} ended before it answered.`)));
  const next = async () => (await once(child, "message", { signal: ended.signal }))[0];
  return {
    ready: await next(),
    request(message) {
      const answer = next();
      child.send(message as object);
      return answer;
    },
  };
}

export function endChildren(): void {
  for (const child of children.splice(0)) child.kill("SIGTERM");
}

export async function removeFolder(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
