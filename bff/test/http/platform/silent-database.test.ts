/** @module-tag both-databases */
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OpenDatabase, openDatabase } from "../../../src/platform/database/database.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/** Longer than any test. */
const NEVER_MS = 3_600_000;

/** The database's host is lost: packets vanish, nothing arrives, and no connection is closed. */
describe.runIf(testDatabaseKind === "postgres")("a database whose host is lost", () => {
  let real: TestDatabase;
  let proxy: Server;
  let proxied: string;
  let bff: TestBff;
  let asked: Pick<OpenDatabase, "ping" | "silentMs">;
  let isLost = false;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    real = await openTestDatabase();
    const target = new URL(real.url);
    proxy = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      // An earlier connection stays dead, even if another host answers at the address.
      let isDead = isLost;
      const pass = (to: Socket) => (chunk: Buffer) => {
        isDead ||= isLost;
        if (!isDead) to.write(chunk);
      };
      for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
      client.on("data", pass(upstream)).on("close", () => upstream.end());
      upstream.on("data", pass(client));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const url = new URL(real.url);
    url.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    proxied = url.href;
    asked = real;
    const database = { ...real, ping: () => asked.ping(), silentMs: () => asked.silentMs() };
    bff = await startBff({ database });
  });
  afterAll(async () => {
    await bff.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await real.close();
  });
  afterEach(() => {
    isLost = false;
    asked = real;
  });

  const ready = async () => (await fetch(`${bff.orderApi}/readyz`)).status;

  it("is reported to a load balancer, however long statements still wait", async () => {
    const limits = { connectTimeoutMs: NEVER_MS, answerTimeoutMs: NEVER_MS, connectionsMax: 1 };
    const database = await openDatabase({ url: proxied, ...limits }, silentLogger);
    asked = database;
    await expect.poll(ready).toBe(200);
    isLost = true;
    expect(await ready()).toBe(503);
    for (const socket of sockets) socket.destroy();
    await database.close();
  });

  it("is abandoned when the address responds again: no connection to it stays", async () => {
    const limits = { connectTimeoutMs: 1_000, answerTimeoutMs: 1_000, connectionsMax: 3 };
    const database = await openDatabase({ url: proxied, ...limits }, silentLogger);
    asked = database;
    await expect.poll(ready).toBe(200);
    const query = () => database.withSession((session) => session.query("select 1", []));
    await query();
    isLost = true;
    await Promise.allSettled([database.ping(), ...Array.from({ length: 6 }, query)]);
    expect(database.silentMs()).toBeGreaterThan(0);
    await expect.poll(() => database.load().connections).toBe(0);
    expect(await ready()).toBe(503);
    isLost = false;
    // More concurrent queries than connections.
    const queries = () => Promise.allSettled(Array.from({ length: 6 }, query));
    await expect.poll(async () => (await queries()).map(({ status }) => status)).toEqual(Array(6).fill("fulfilled"));
    await expect.poll(async () => [await ready(), database.silentMs()]).toEqual([200, 0]);
    await database.close();
  });

  it("ends the process when it is silent for a minute", async () => {
    asked = { ...real, silentMs: () => 59_999 };
    expect((await fetch(`${bff.orderApi}/healthz`)).status).toBe(200);
    asked = { ...real, silentMs: () => 60_000 };
    const health = await fetch(`${bff.orderApi}/healthz`);
    expect([health.status, await health.json()]).toMatchObject([503, { status: "database_silent" }]);
  });
});
