import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../lab/crash/free-ports.ts";

const startTimeoutMs = 20_000;

export interface Installation {
  readonly path: string;
}

interface PoolerOptions {
  /** The address of the PostgreSQL behind it. */
  readonly serverUrl: string;
  /** Whether each of its connections has the limits that the role would set. */
  readonly limits: boolean;
  /** Startup parameters that it silently drops, separated by commas. */
  readonly ignored: string;
}

export interface Pooler {
  /** The address of the same database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The installed PgBouncer, on the path or in Debian's folder. */
export function findPgbouncer(): Installation | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  const path = folders.map((folder) => join(folder, "pgbouncer")).find((each) => existsSync(each));
  return path === undefined ? undefined : { path };
}

/** A pooler in transaction mode, in front of every database of a server. Throws its log if it does not start. */
export async function startPgbouncer({ path }: Installation, options: PoolerOptions): Promise<Pooler> {
  const { serverUrl, limits, ignored } = options;
  const server = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), "aapd-pgbouncer-"));
  // It refuses to run as root, and its own user must read the file.
  await chmod(folder, 0o755);
  const [port = 0] = await freePorts(1);
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, settings(server, { port, limits, ignored }), { mode: 0o644 });
  const asUser = process.getuid?.() === 0 ? ["--user=postgres"] : [];
  const bouncer = spawn(path, [...asUser, file], { stdio: ["ignore", "pipe", "pipe"] });
  let logged = "";
  for (const stream of [bouncer.stdout, bouncer.stderr])
    stream.on("data", (chunk: Buffer) => {
      logged += chunk.toString();
    });
  const ended = once(bouncer, "exit");
  const stop = async () => {
    bouncer.kill("SIGINT");
    setTimeout(() => bouncer.kill("SIGKILL"), 5_000).unref();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await isListening(port))) {
    await stop();
    throw new Error(`PgBouncer did not start\n${logged}`);
  }
  server.port = String(port);
  // Otherwise a client would use PostgreSQL's socket, whatever the port.
  server.searchParams.delete("host");
  return { url: server.href, stop };
}

function settings(
  { hostname, port: serverPort, username, password }: URL,
  { port, limits, ignored }: Pick<PoolerOptions, "limits" | "ignored"> & { readonly port: number },
): string {
  const limit =
    "set statement_timeout = 30000; set lock_timeout = 10000; set idle_in_transaction_session_timeout = 30000";
  const to = `host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`;
  return [
    "[databases]",
    `* = ${to}${limits ? ` connect_query='${limit}'` : ""}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 5",
    "max_client_conn = 500",
    ...(ignored === "" ? [] : [`ignore_startup_parameters = ${ignored}`]),
    "",
  ].join("\n");
}

async function isListening(port: number): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    const socket = createConnection({ port, host: "127.0.0.1" });
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return true;
    await sleep(50);
  }
  return false;
}
