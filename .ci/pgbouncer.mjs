import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./postgres.mjs";

const run = promisify(execFile);
const startTimeoutMs = 20_000;

/**
 * PgBouncer as it is installed here, on the path or where Debian puts it.
 *
 * @returns {Promise<{ path: string, version: string } | undefined>}
 */
export async function findPgbouncer() {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  const path = folders.map((folder) => join(folder, "pgbouncer")).find((each) => existsSync(each));
  if (path === undefined) return undefined;
  const { stdout } = await run(path, ["--version"]);
  return { path, version: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? "0" };
}

/**
 * A pooler in transaction mode, in front of every database of a server. With `limits` it gives each of its connections what a
 * role would have been given; without, none are set.
 *
 * @param {{ path: string }} installation
 * @param {{ serverUrl: string, limits: boolean, ignored: string }} options `ignored`: parameters of the start that are not
 *   refused and not passed on.
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} The address of the same database behind it.
 * @throws {Error} When it does not start; the message ends with what it logged.
 */
export async function startPgbouncer({ path }, { serverUrl, limits, ignored }) {
  const server = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), "aapd-pgbouncer-"));
  // It refuses to run as root, and its own user must read the file.
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, settings(server, { port, limits, ignored }), { mode: 0o644 });
  const asUser = process.getuid?.() === 0 ? ["--user=postgres"] : [];
  const bouncer = spawn(path, [...asUser, file], { stdio: ["ignore", "pipe", "pipe"] });
  let logged = "";
  bouncer.stdout.on("data", (/** @type {Buffer} */ chunk) => (logged += chunk.toString()));
  bouncer.stderr.on("data", (/** @type {Buffer} */ chunk) => (logged += chunk.toString()));
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
  return { url: server.href, stop };
}

/**
 * @param {URL} server
 * @param {{ port: number, limits: boolean, ignored: string }} options
 * @returns {string}
 */
function settings({ hostname, port: serverPort, username, password }, { port, limits, ignored }) {
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

/** @param {number} port */
async function isListening(port) {
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
