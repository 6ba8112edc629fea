/** @module-tag both-databases */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../lab/crash/free-ports.ts";
import { NOT_TAKEN } from "../../src/app/listen.ts";
import { writeRetired } from "../../src/platform/deployment-store.ts";
import { readOrMakeKeyringFile } from "../../src/platform/keyring-file.ts";
import { switchOff, switchOn } from "../../src/platform/switch-store.ts";
import { builtProgram } from "../built-program.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../database.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

describe.runIf(testDatabaseKind === "postgres")("a process in production", () => {
  let database: TestDatabase;
  let folder: string;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), "aapd-production-"));
    await readOrMakeKeyringFile(join(folder, "keyring.json"));
  });
  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL");
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  function start(changed: NodeJS.ProcessEnv = {}, main = "src/main.ts", args: readonly string[] = []) {
    const environment = {
      PATH: process.env.PATH,
      ENVIRONMENT: "production",
      DATABASE_URL: database.url,
      KEYRING_FILE: join(folder, "keyring.json"),
      FILES_DIR: join(folder, "files"),
      FACES: "order,spot",
      ORDER_API_PORT: "0",
      SPOT_API_PORT: "0",
      ORDER_API_PUBLIC_URL: "https://orders.example.com",
      SPOT_API_PUBLIC_URL: "https://spot.example.com",
      WIDGET_HOST_PUBLIC_URL: "https://checkout.example.com",
      TRUSTED_PROXIES: "1",
      CONNECTOR_URL: "https://connector.example.com",
      CONNECTOR_TOKEN: "a-token-of-the-connector-0001",
      CARD_CHALLENGE_ORIGIN: "https://bank.example.com",
      FINANCING_PROVIDER_NAME: "Financiera Ejemplo SpA",
      SMTP_URL: "smtps://mail.example.com",
      MESSAGING_URL: "https://messages.example.com",
      MESSAGING_TOKEN: "a-token-of-the-gateway-0001",
      DRAIN_SECONDS: "0",
      ...changed,
    };
    const child = spawn(process.execPath, [builtProgram(main), ...args], {
      cwd: PACKAGE,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    const log = { text: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      log.text += String(chunk);
    });
    return { child, log, exit: once(child, "exit"), wrote: text(child.stderr) };
  }

  /** The address at which it listens, from its log. */
  async function listening({ child, log }: ReturnType<typeof start>): Promise<string> {
    for (;;) {
      const line = log.text.split("\n").find((one) => one.includes('"server.listening"') && one.includes('"order"'));
      const port = /"port":(\d+)/.exec(line ?? "")?.[1];
      if (port !== undefined) return `http://127.0.0.1:${port}`;
      await once(child.stdout, "data");
    }
  }

  it("prints an error instead of starting a server if it is given arguments", async () => {
    const { exit, wrote, log } = start({}, "src/main.ts", ["--help"]);
    expect(await exit).toEqual([1, null]);
    expect(await wrote).toContain("--help: this program takes no arguments");
    expect(log.text).toBe("");
  });

  it("does not migrate a shared database, and names the command for it", async () => {
    const latest = sql`select max(number) from schema_migrations`;
    await sql`create table kept as select * from schema_migrations where number = (${latest})`.execute(database.db);
    await sql`delete from schema_migrations where number = (${latest})`.execute(database.db);
    const { exit, wrote } = start();
    expect(await exit).toEqual([1, null]);
    expect(await wrote).toBe("The database lacks migrations of this version. Run `pnpm aapd migrate` first.\n");
    await sql`insert into schema_migrations select * from kept`.execute(database.db);
  });

  it("serves once it is migrated, and exits by itself when asked to stop", async () => {
    const service = start();
    const origin = await listening(service);
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(200);
    service.child.kill("SIGTERM");
    expect(await service.exit).toEqual([0, null]);
  });

  it("keeps serving without being ready when it is stopped, until its drain ends or it is stopped again", async () => {
    const service = start({ DRAIN_SECONDS: "300" });
    const origin = await listening(service);
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(200);
    service.child.kill("SIGTERM");
    while (!service.log.text.includes('"server.stopping"')) await once(service.child.stdout, "data");
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    const served = await fetch(`${origin}/orders`, { method: "POST" });
    expect([served.status, served.headers.get("connection")]).toEqual([401, "close"]);
    service.child.kill("SIGTERM");
    expect(await service.exit).toEqual([1, null]);
  });

  it("answers probes while it starts, and accepts no connection to its faces before it is ready", async () => {
    const [order = 0, probes = 0] = await freePorts(2);
    const lock = await lockMigrations();
    const service = start({ ORDER_API_PORT: String(order), PROBES_PORT: String(probes) });
    const probe = (path: string) =>
      fetch(`http://127.0.0.1:${probes}${path}`).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(() => probe("/healthz")).toBe(200);
    await expect.poll(lock.isWaitedFor).toBe(true);
    expect(await probe("/readyz")).toBe(503);
    await expect(fetch(`http://127.0.0.1:${order}/orders`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await lock.release();
    await expect.poll(() => probe("/readyz")).toBe(200);
    expect((await fetch(`http://127.0.0.1:${order}/orders`, { method: "POST" })).status).toBe(401);
    service.child.kill("SIGTERM");
    expect(await service.exit).toEqual([0, null]);
  });

  it("waits, alive and not ready, for a database that does not answer when it starts", async () => {
    const [route = 0, probes = 0] = await freePorts(2);
    const routed = new URL(database.url);
    routed.host = `127.0.0.1:${route}`;
    const service = start({ DATABASE_URL: routed.href, PROBES_PORT: String(probes) });
    const probe = async (path: string) => (await fetch(`http://127.0.0.1:${probes}${path}`)).status;
    while (!service.log.text.includes('"server.waiting_for_database"')) await once(service.child.stdout, "data");
    expect([await probe("/healthz"), await probe("/readyz")]).toEqual([200, 503]);
    const { hostname, port } = new URL(database.url);
    const router = createServer((socket) => {
      const onward = connect({ host: hostname, port: Number(port || 5432) });
      for (const end of [socket, onward]) end.on("error", () => undefined);
      socket.pipe(onward).pipe(socket);
    }).listen(route, "127.0.0.1");
    await expect.poll(() => probe("/readyz")).toBe(200);
    service.child.kill("SIGTERM");
    expect(await service.exit).toEqual([0, null]);
    router.close();
  });

  it("ends with PostgreSQL's reason if its user may not connect", async () => {
    const refused = new URL(database.url);
    refused.pathname = "/no_such_database";
    const { exit, wrote } = start({ DATABASE_URL: refused.href });
    expect(await exit).toEqual([1, null]);
    expect(await wrote).toBe(
      'DATABASE_URL: PostgreSQL refuses the connection: database "no_such_database" does not exist.\n',
    );
  });

  it("accepts no new request in the last second of its drain", async () => {
    const service = start({ DRAIN_SECONDS: "2" });
    const origin = await listening(service);
    service.child.kill("SIGTERM");
    const post = async () => {
      const answer = await fetch(`${origin}/orders`, { method: "POST", body: "{}" });
      return [answer.status, await answer.json()];
    };
    await expect.poll(post, { interval: 10 }).toMatchObject([NOT_TAKEN, { code: "service_unavailable" }]);
    expect(await service.exit).toEqual([0, null]);
  });

  /** Nothing can read the list of migrations until it is released. */
  async function lockMigrations() {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("begin; lock table schema_migrations in access exclusive mode");
    return {
      async isWaitedFor() {
        const { rows } = await client.query(
          "select 1 from pg_locks where not granted and relation = 'schema_migrations'::regclass",
        );
        return rows.length > 0;
      },
      async release() {
        await client.query("rollback");
        await client.end();
      },
    };
  }

  /** The error of a process that refuses to start. */
  async function refusal(changed: NodeJS.ProcessEnv, main?: string): Promise<string> {
    const { exit, wrote } = start(changed, main);
    expect(await exit).toEqual([1, null]);
    return wrote;
  }

  it("refuses a database of another environment, and one used with another key of the same name", async () => {
    const sandbox = { ENVIRONMENT: "staging", CONNECTOR_URL: "", CONNECTOR_TOKEN: "", CARD_CHALLENGE_ORIGIN: "" };
    const noParties = { ...sandbox, FINANCING_PROVIDER_NAME: "", SMTP_URL: "", MESSAGING_URL: "", MESSAGING_TOKEN: "" };
    expect(await refusal(noParties, "sandbox/main.ts")).toBe(
      "ENVIRONMENT: this database belongs to production, and this process to staging.\n",
    );
    expect(await refusal({ ...noParties, ENVIRONMENT: "" }, "sandbox/main.ts")).toContain("ENVIRONMENT: set it to");
    const other = join(folder, "other.json");
    await readOrMakeKeyringFile(other);
    expect(await refusal({ KEYRING_FILE: other })).toMatch(/^KEYRING_FILE: "[^"]+" differs from the key of that name/);
  });

  it("does not start with a stamp tax that the present texts do not name", async () => {
    const contract = sql`insert into legal_texts (environment, kind, version, locale, set_at, text)`;
    await sql`${contract} values ('production', 'contract', 'before', 'es-CL', now(), '# Contrato')`.execute(
      database.db,
    );
    expect(await refusal({ STAMP_TAX: "commission" })).toContain("STAMP_TAX: {{stamp_tax}} is missing in contract.");
    await sql`${contract} values ('production', 'contract', 'next', 'es-CL', now(), '# Contrato\n\n{{stamp_tax}}')`.execute(
      database.db,
    );
    const service = start({ STAMP_TAX: "commission" });
    expect(await listening(service)).toContain("127.0.0.1");
    service.child.kill("SIGTERM");
    expect(await service.exit).toEqual([0, null]);
  });

  it("does not start without a key that sealed values in its database, until the key is retired", async () => {
    const [first] = JSON.parse(await readFile(join(folder, "keyring.json"), "utf8")).keys;
    const key = (id: string) => ({ id, secret: randomBytes(32).toString("base64") });
    const write = async (name: string, keys: readonly object[]) => {
      await writeFile(join(folder, name), JSON.stringify({ keys }));
      return { KEYRING_FILE: join(folder, name) };
    };
    const startsWith = async (changed: NodeJS.ProcessEnv) => {
      const service = start(changed);
      expect(await listening(service)).toContain("127.0.0.1");
      service.child.kill("SIGTERM");
      await service.exit;
    };
    const next = key("next");
    // While the next key is distributed to the processes one by one, a process without it may restart.
    await startsWith(await write("second.json", [first, next]));
    await startsWith({});
    await startsWith(await write("first.json", [next, first]));
    expect(await refusal({})).toBe(
      'KEYRING_FILE: "next" is missing, although values made with it exist. Put it back, or retire it with `aapd keys retire`.\n',
    );
    await writeRetired(database.db, "next");
    await startsWith({});
  });

  it.each([
    ["all", 1],
    ["timers", 1],
    ["webhooks", 0],
    ["off", 0],
  ])("starts with WORKERS=%s and runs %i of one due timer", async (workers, ran) => {
    await sql`delete from timers`.execute(database.db);
    await sql`insert into timers (kind, key, provider_id, due_at, payload)
      values ('payouts.send', ${PACKAGE}, ${UNKNOWN_ID}, '2026-01-01', '{}')`.execute(database.db);
    const service = start({ WORKERS: workers });
    await listening(service);
    service.child.kill("SIGTERM");
    await service.exit;
    const { rows } = await sql<{ attempts: number }>`select attempts from timers`.execute(database.db);
    expect(rows).toEqual([{ attempts: ran }]);
  });

  it("writes by the database's clock where its machine's clock is five minutes ahead", async () => {
    await sql`delete from timers`.execute(database.db);
    await sql`insert into timers (kind, key, provider_id, due_at, payload)
      values ('payouts.send', 'skewed', ${UNKNOWN_ID}, '2026-01-01', '{}')`.execute(database.db);
    const ahead =
      "const now = Date.now; Date = class extends Date { constructor(...a) { super(...(a.length ? a : [now() + 3e5])); } };";
    const service = start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}` });
    await listening(service);
    service.child.kill("SIGTERM");
    await service.exit;
    const { rows } = await sql<{ ahead: number; left: number | null }>`
      select extract(epoch from greatest(done_at, due_at, lease_until) - clock_timestamp())::int as ahead
      from timers where key = 'skewed'`.execute(database.db);
    expect(service.log.text).toContain('"server.ready"');
    expect(rows[0]?.ahead).toBeLessThan(200);
  });

  it("obeys a switch at once in every running process", async () => {
    const two = [start({ WORKERS: "timers" }), start({ WORKERS: "timers" })];
    await Promise.all(two.map(listening));
    const due = async (kind: string, key: string) => {
      await sql`insert into timers (kind, key, provider_id, due_at, payload)
        values (${kind}, ${key}, ${UNKNOWN_ID}, '2026-01-01', '{}')`.execute(database.db);
    };
    const ran = async (key: string) => {
      const { rows } = await sql<{ attempts: number }>`select attempts from timers where key = ${key}`.execute(
        database.db,
      );
      return rows.some(({ attempts }) => attempts > 0);
    };
    let unswitched = 0;
    /** Both have since claimed timers that have no switch. */
    const bothHaveLooked = async () => {
      const read = two.map(({ log }) => log.text.length);
      while (two.some(({ log }, place) => !log.text.slice(read[place]).includes('"timer.failed"'))) {
        unswitched += 1;
        await due("order.expire", `unswitched:${unswitched}`);
        while (!(await ran(`unswitched:${unswitched}`)));
      }
    };
    await sql`delete from timers`.execute(database.db);
    await switchOff(database.db, { what: "payouts", providerId: null });
    await due("payouts.send", "switched");
    // Twice, because the first line may belong to an earlier claim.
    await bothHaveLooked();
    await bothHaveLooked();
    expect(await ran("switched")).toBe(false);
    await switchOn(database.db, { what: "payouts", providerId: null });
    while (!(await ran("switched"))) await bothHaveLooked();
    for (const { child } of two) child.kill("SIGTERM");
  });
});
