import { execFile, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, chown, mkdtemp, open, rm, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The oldest PostgreSQL that production may use; the tests run on the oldest installed one from this version on. */
const oldestMajor = 15;
const startTimeoutMs = 60_000;
const connectionsMax = 200;
/** Linux keeps it in memory; a container's often has 64 MB only. */
const memoryFolder = "/dev/shm";
const memoryBytesLeast = 4 * 1024 ** 3;

/**
 * A server that lives exactly as long as this process.
 *
 * @typedef {object} PostgresServer
 * @property {string} url A superuser's address; each test creates its own databases there.
 * @property {string} version For example `15.14`.
 * @property {string} folder The folder of its data, while it runs.
 * @property {number} pid The parent of all its other processes.
 * @property {() => Promise<void>} stop Stops the server and removes its data.
 */

/**
 * The folder of the oldest PostgreSQL from version 15 on that is installed here, on the path or where Debian puts it.
 *
 * @returns {Promise<{ bin: string, version: string } | undefined>}
 */
export async function findPostgres() {
  const found = [];
  for (const bin of binFolders()) {
    if (!existsSync(join(bin, "postgres")) || !existsSync(join(bin, "initdb"))) continue;
    const { stdout } = await run(join(bin, "postgres"), ["--version"]);
    const version = /\d+(\.\d+)?/.exec(stdout)?.[0] ?? "0";
    if (Number.parseInt(version, 10) >= oldestMajor) found.push({ bin, version });
  }
  return found.sort((left, right) => Number(left.version) - Number(right.version))[0];
}

/** @returns {string[]} */
function binFolders() {
  const debian = "/usr/lib/postgresql";
  const packaged = existsSync(debian) ? readdirSync(debian).map((major) => join(debian, major, "bin")) : [];
  return [...packaged, ...(process.env.PATH ?? "").split(delimiter).filter(Boolean)];
}

/**
 * Starts a private, throw-away server on a free port of 127.0.0.1, without durability. It ends with this process even
 * if that is killed outright, because a keeper process waits for the pipe between them to close.
 *
 * @param {{ bin: string, version: string }} installation
 * @returns {Promise<PostgresServer>}
 * @throws {Error} If the server does not start; the message ends with its log.
 */
export async function startPostgres({ bin, version }) {
  const owner = await unprivilegedOwner();
  // The server's own user must be able to reach the folder, which root's temporary folder may not allow.
  const folder = await mkdtemp(join((await inMemory()) ?? (owner ? "/tmp" : tmpdir()), "aapd-postgres-"));
  const password = randomBytes(18).toString("base64url");
  const data = join(folder, "data");
  try {
    await writeFile(join(folder, "password"), password, { mode: 0o600 });
    if (owner) {
      await chown(join(folder, "password"), owner.uid, owner.gid);
      await chown(folder, owner.uid, owner.gid);
    }
    // Rehearsals run the service as another user, who reaches the socket by its path.
    await chmod(folder, 0o711);
    await run(join(bin, "initdb"), initialisation(folder, data), { ...owner, cwd: folder });
    const port = await freePort();
    const log = await open(join(folder, "log"), "w");
    const keeper = spawn(
      "/bin/sh",
      ["-c", keeperScript, folder, join(bin, "postgres"), ...settings(folder, data, port)],
      {
        ...owner,
        cwd: folder,
        detached: true,
        stdio: ["pipe", log.fd, log.fd],
        env: { ...process.env, LC_ALL: "C" },
      },
    );
    await log.close();
    const ended = once(keeper, "exit");
    const stop = async () => {
      keeper.stdin?.end();
      await ended;
    };
    try {
      await untilReady(data);
    } catch (error) {
      const logged = readFileSync(join(folder, "log"), "utf8");
      await stop();
      throw new Error(`PostgreSQL ${version} did not start\n${logged}`, { cause: error });
    }
    // A statement costs a third less over the socket than over TCP; programs that need host and port can still use
    // those.
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?host=${encodeURIComponent(folder)}`;
    return { url, version, folder, pid: serverPid(data), stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs the server given by its arguments until its input closes, then removes its folder. */
const keeperScript = `
"$@" &
server=$!
cat >/dev/null
kill -INT "$server" 2>/dev/null
wait "$server"
cd / && rm -rf "$0"
`;

/**
 * A folder in memory, if one has enough room. Each test file creates a database and removes it, a few thousand files
 * each time. On a disk, creating files where others were just removed takes a tenth of the tests' processor time.
 *
 * @returns {Promise<string | undefined>}
 */
async function inMemory() {
  try {
    const { bavail, bsize } = await statfs(memoryFolder);
    return bavail * bsize >= memoryBytesLeast ? memoryFolder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {string} data
 * @returns {string[]}
 */
function initialisation(folder, data) {
  return [
    `--pgdata=${data}`,
    "--username=postgres",
    `--pwfile=${join(folder, "password")}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    `--locale=${process.platform === "linux" ? "C.UTF-8" : "C"}`,
    "--no-sync",
  ];
}

/**
 * @param {string} folder
 * @param {string} data
 * @param {number} port
 * @returns {string[]}
 */
function settings(folder, data, port) {
  const values = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    max_connections: connectionsMax,
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    wal_level: "minimal",
    max_wal_senders: 0,
    // Containers often have too little shared memory for parallel queries.
    max_parallel_workers_per_gather: 0,
  };
  return ["-D", data, ...Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/**
 * PostgreSQL refuses to run as root, so root runs it as its package's user.
 *
 * @returns {Promise<{ uid: number, gid: number } | undefined>} Undefined if this process is not root.
 */
async function unprivilegedOwner() {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (/** @type {string} */ kind) => Number((await run("id", [kind, "postgres"])).stdout);
  try {
    return { uid: await id("-u"), gid: await id("-g") };
  } catch (error) {
    throw new Error("PostgreSQL cannot run as root, and there is no user `postgres` for it", { cause: error });
  }
}

/**
 * A free port below those that Linux and macOS hand out to connections and to `listen(0)`, which could take it before
 * the server does.
 *
 * @returns {Promise<number>}
 */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port);
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/**
 * @param {string} data
 * @returns {number}
 */
function serverPid(data) {
  return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]);
}

/**
 * The eighth line of `postmaster.pid` is the server's state, for which `pg_ctl` waits.
 *
 * @param {string} data
 */
async function untilReady(data) {
  const deadline = Date.now() + startTimeoutMs;
  const state = join(data, "postmaster.pid");
  while (Date.now() < deadline) {
    if (existsSync(state) && readFileSync(state, "utf8").split("\n")[7]?.trim() === "ready") return;
    await sleep(50);
  }
  throw new Error(`not ready after ${startTimeoutMs} ms`);
}
