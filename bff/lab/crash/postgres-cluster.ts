import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { freePorts } from "./free-ports.ts";
import { readBlocks } from "./read-blocks.ts";

const run = promisify(execFile);

/** The shipped files. Only addresses, ports and paths are replaced. */
const shipped = (name: string) => fileURLToPath(new URL(`../../deploy/postgresql/${name}`, import.meta.url));
const STANZA = "--stanza=aapd";
/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];
const READY_WITHIN_MS = 90_000;

/** Two PostgreSQL servers under Patroni, one of them a synchronous standby, behind HAProxy, with pgBackRest. */
export interface PostgresCluster {
  /** The service's address, which leads to the primary. */
  readonly databaseUrl: string;
  /** Kills the primary's machine: Patroni and PostgreSQL at once. Returns how to start it again. */
  killPrimary(): Promise<() => Promise<void>>;
  /** Waits until one server is the primary and the other its synchronous standby. */
  untilWhole(): Promise<void>;
  /** Makes a full backup. */
  backUp(): Promise<void>;
  /** The age of the newest archived log in seconds: newer data is lost if both machines are. */
  archiveLagSeconds(): Promise<number>;
  /** Stops both servers and restores the data of a moment, with the commands of `docs/how-to/high-availability.md`. */
  restoreTo(moment: Date): Promise<void>;
  /** Writes these tables into a file, and puts them back into the database, as they were. */
  keepTables(pattern: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Node {
  readonly name: string;
  readonly ports: { readonly postgres: number; readonly api: number };
  readonly env: Readonly<Record<string, string>>;
  program: Program | null;
}

interface Program {
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the cluster in an empty folder. Needs root on Debian, and the packages that `requirePrograms` names. */
export async function startPostgresCluster(folder: string): Promise<PostgresCluster> {
  await requirePrograms();
  await mkdir(folder, { recursive: true });
  // A temporary folder is closed to PostgreSQL's user.
  await chmod(dirname(folder), 0o711);
  for (const part of ["etcd", "db-1", "db-2", "repository", "log"]) await mkdir(join(folder, part));
  await chmod(folder, 0o711);
  await run("chown", ["-R", "postgres:postgres", folder]);
  const [front = 0, client = 0, peer = 0, ...ports] = await freePorts(7);
  const closing: (() => Promise<void>)[] = [];
  closing.push(await startEtcd(folder, client, peer));
  const secrets = { superuser: randomBytes(18).toString("base64url"), service: randomBytes(18).toString("base64url") };
  const bin = await debianPostgres();
  const nodes = [0, 1].map((number): Node => {
    const [postgres = 0, api = 0] = ports.slice(number * 2);
    const name = `db-${number + 1}`;
    const env = environmentOf({
      folder,
      name,
      postgres,
      api,
      client,
      bin,
      superuser: secrets.superuser,
    });
    return { name, ports: { postgres, api }, env, program: null };
  });
  closing.push(async () => void (await Promise.all(nodes.map(async ({ program }) => program?.stop()))));
  for (const node of nodes) node.program = startPatroni(folder, node);
  closing.push(await startHaproxy(folder, front, nodes));
  const asSuperuser = (database: string) => `postgres://postgres:${secrets.superuser}@127.0.0.1:${front}/${database}`;
  const cluster: PostgresCluster = {
    databaseUrl: `postgres://aapd:${secrets.service}@127.0.0.1:${front}/aapd`,
    async killPrimary() {
      const primary = await primaryOf(nodes);
      await primary.program?.kill();
      await killServer(join(folder, primary.name, "data"));
      primary.program = null;
      return async () => {
        primary.program = startPatroni(folder, primary);
      };
    },
    untilWhole: () => until(() => isWhole(nodes), "The cluster has no primary with a synchronous standby"),
    async backUp() {
      const { env } = await primaryOf(nodes);
      await asPostgres(["pgbackrest", STANZA, "--type=full", "backup"], env);
    },
    async archiveLagSeconds() {
      const client = new pg.Client({ connectionString: asSuperuser("postgres") });
      await client.connect();
      const query = "select extract(epoch from now() - last_archived_time)::float8 as seconds from pg_stat_archiver";
      const { rows } = await client.query(query);
      await client.end();
      return Number(rows[0].seconds);
    },
    async restoreTo(moment) {
      const [first, second] = nodes as [Node, Node];
      // The standby first, so that it does not take over.
      const primary = await primaryOf(nodes);
      for (const { program } of [...nodes.filter((node) => node !== primary), primary]) await program?.stop();
      const values = { data: join(folder, first.name, "data"), bin, moment };
      for (const command of await writtenRestore(values)) await asPostgres(["sh", "-euc", command], first.env);
      first.program = startPatroni(folder, first);
      await until(async () => (await roleOf(first)) === "primary", "The restored server did not become the primary");
      await until(() => acceptsWrites(asSuperuser("aapd")), "HAProxy leads to no restored server");
      second.program = startPatroni(folder, second);
    },
    async keepTables(pattern) {
      const file = join(folder, "tables.sql");
      const dump = ["--clean", "--if-exists", `--table=${pattern}`, `--file=${file}`, asSuperuser("aapd")];
      await run(join(bin, "pg_dump"), dump);
      return async () =>
        void (await run(join(bin, "psql"), [
          "--quiet",
          "--set=ON_ERROR_STOP=1",
          `--file=${file}`,
          asSuperuser("aapd"),
        ]));
    },
    async close() {
      for (const close of closing.toReversed()) await close();
    },
  };
  await cluster.untilWhole();
  await until(() => acceptsWrites(asSuperuser("postgres")), "HAProxy leads to no primary");
  await asPostgres(["pgbackrest", STANZA, "stanza-create"], (await primaryOf(nodes)).env);
  await makeDatabase(asSuperuser("postgres"), secrets.service);
  return cluster;
}

const HIGH_AVAILABILITY = fileURLToPath(new URL("../../docs/how-to/high-availability.md", import.meta.url));
/** The moment in the document's commands. */
const WRITTEN_MOMENT = "2026-11-28 14:05:00-03";

/** The commands of "Restore to a moment" with our own paths and moment. */
async function writtenRestore(own: {
  readonly data: string;
  readonly bin: string;
  readonly moment: Date;
}): Promise<readonly string[]> {
  const blocks = readBlocks(await readFile(HIGH_AVAILABILITY, "utf8"), "Restore to a moment");
  const moment = own.moment.toISOString().replace("T", " ").replace("Z", "+00");
  const commands = blocks.map((block) =>
    block
      .replace(WRITTEN_MOMENT, moment)
      .replaceAll("/var/lib/postgresql/aapd", own.data)
      .replaceAll(/\/usr\/lib\/postgresql\/\d+\/bin/g, own.bin)
      .replaceAll("/etc/patroni/config.yml", shipped("patroni.yaml")),
  );
  if (!commands.join().includes(moment)) throw new Error("The document restores to no moment.");
  return commands;
}

/** Thrown when the programs of the cluster cannot run here. */
class NoCluster extends Error {
  override readonly name = "NoCluster";
}

async function requirePrograms(): Promise<void> {
  const missing: string[] = [];
  const packages = { patroni: "patroni", etcd: "etcd-server", haproxy: "haproxy", pgbackrest: "pgbackrest" };
  for (const [program, debian] of Object.entries(packages))
    await run("sh", ["-c", `PATH="$PATH:/usr/sbin" command -v ${program}`]).catch(() => missing.push(debian));
  if (process.getuid?.() !== 0)
    throw new NoCluster("This rehearsal starts PostgreSQL as its own user: run it as root.");
  if (missing.length > 0)
    throw new NoCluster(`Not installed here: apt-get install ${missing.join(" ")}, then stop their services.`);
}

/** Where Debian installs the newest PostgreSQL, which is not on an ordinary user's path. */
async function debianPostgres(): Promise<string> {
  const versions = await readdir("/usr/lib/postgresql").catch(() => []);
  const newest = versions.toSorted((left, right) => Number(right) - Number(left))[0];
  if (newest === undefined) throw new NoCluster("Not installed here: apt-get install postgresql.");
  return `/usr/lib/postgresql/${newest}/bin`;
}

interface NodeAddresses {
  readonly folder: string;
  readonly name: string;
  readonly postgres: number;
  readonly api: number;
  readonly client: number;
  readonly bin: string;
  readonly superuser: string;
}

/** The variables that differ from one machine to the other, as `patroni.yaml` and `pgbackrest.conf` list them. */
function environmentOf({ folder, name, postgres, api, client, bin, superuser }: NodeAddresses) {
  const data = join(folder, name, "data");
  return {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, name),
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${api}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${api}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${postgres}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgres}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: bin,
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${client}`,
    PATRONI_SUPERUSER_PASSWORD: superuser,
    PATRONI_REPLICATION_PASSWORD: `${superuser}-replication`,
    PGBACKREST_CONFIG: shipped("pgbackrest.conf"),
    // A folder in place of the bucket.
    PGBACKREST_REPO1_TYPE: "posix",
    PGBACKREST_REPO1_PATH: join(folder, "repository"),
    PGBACKREST_REPO1_CIPHER_PASS: `${superuser}-backups`,
    PGBACKREST_LOG_PATH: join(folder, "log"),
    PGBACKREST_LOCK_PATH: join(folder, name, "lock"),
    PGBACKREST_PG1_PATH: data,
    PGBACKREST_PG1_PORT: String(postgres),
  };
}

async function startEtcd(folder: string, client: number, peer: number): Promise<() => Promise<void>> {
  const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const flags = {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": clients,
    "advertise-client-urls": clients,
    "listen-peer-urls": peers,
    "initial-advertise-peer-urls": peers,
    "initial-cluster": `default=${peers}`,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const program = start([...AS_POSTGRES, "etcd", ...args], join(folder, "log/etcd.log"), {
    PATH: process.env.PATH ?? "",
  });
  const isHealthy = () =>
    fetch(`${clients}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isHealthy, "etcd did not start");
  return () => program.stop();
}

function startPatroni(folder: string, { name, env }: Node): Program {
  return start([...AS_POSTGRES, "patroni", shipped("patroni.yaml")], join(folder, `log/${name}.log`), env);
}

async function startHaproxy(folder: string, front: number, nodes: readonly Node[]): Promise<() => Promise<void>> {
  const written = await readFile(shipped("haproxy.cfg"), "utf8");
  const file = join(folder, "haproxy.cfg");
  const own = written
    .replace("bind 127.0.0.1:5432", `bind 127.0.0.1:${front}`)
    .replaceAll(/(db-\d)\.example\.com:5432 check port 8008/g, (_whole, host: string) => {
      const node = nodes.find(({ name }) => name === host);
      return `127.0.0.1:${node?.ports.postgres} check port ${node?.ports.api}`;
    });
  await writeFile(file, own);
  const program = start(["haproxy", "-db", "-f", file], join(folder, "log/haproxy.log"), {
    PATH: `${process.env.PATH}:/usr/sbin`,
  });
  return () => program.stop();
}

/** Starts a program as the leader of a new process group. */
function start(
  [command = "", ...args]: readonly string[],
  log: string,
  env: Readonly<Record<string, string>>,
): Program {
  const output = createWriteStream(log, { flags: "a" });
  const child = spawn(command, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const exit = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      // Patroni stops PostgreSQL itself, so only the leader of the group gets the polite signal.
      if (child.pid !== undefined) process.kill(signal === "SIGKILL" ? -child.pid : child.pid, signal);
      await exit;
    }
  };
  return { kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

/** PostgreSQL is not a child of Patroni, so it is killed by its own process id, as if the machine were lost. */
async function killServer(data: string): Promise<void> {
  const [pid = ""] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
  await run("pkill", ["-KILL", "-P", pid]).catch(() => undefined);
  process.kill(Number(pid), "SIGKILL");
}

const asPostgres = (command: readonly string[], env: Readonly<Record<string, string>>) =>
  run("setpriv", [...AS_POSTGRES.slice(1), ...command], { env });

async function roleOf({ ports }: Node): Promise<"primary" | "sync_standby" | "other"> {
  for (const path of ["primary", "synchronous"] as const) {
    const isSo = await fetch(`http://127.0.0.1:${ports.api}/${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isSo) return path === "primary" ? "primary" : "sync_standby";
  }
  return "other";
}

async function isWhole(nodes: readonly Node[]): Promise<boolean> {
  const roles = await Promise.all(nodes.map(roleOf));
  return roles.includes("primary") && roles.includes("sync_standby");
}

async function primaryOf(nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) if ((await roleOf(node)) === "primary") return node;
  throw new Error("The cluster has no primary.");
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${otherwise} within ${READY_WITHIN_MS / 1_000} s.`);
    await pause(250);
  }
}

/** Patroni reports a new primary a moment before PostgreSQL accepts writes. */
async function acceptsWrites(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select pg_is_in_recovery() as is_standby");
    return rows[0].is_standby === false;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function makeDatabase(url: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create role aapd login password ${client.escapeLiteral(password)}`);
  await client.query("create database aapd owner aapd");
  await client.end();
}
