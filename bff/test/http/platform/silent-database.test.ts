/** @module-tag both-databases */
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenDatabase, openDatabase } from "../../../src/platform/database/database.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const ANSWER_TIMEOUT_MS = 1_000;

/** The database's host is gone: whatever is sent to it vanishes, nothing comes back, and no connection is closed. */
describe.runIf(testDatabaseKind === "postgres")("a database whose host is lost", () => {
  let real: TestDatabase;
  let database: OpenDatabase;
  let proxy: Server;
  let bff: TestBff;
  let isLost = false;
  let silentMs: number | null = null;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    real = await openTestDatabase();
    const target = new URL(real.url);
    proxy = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      // A connection of before stays dead when another host answers at the address.
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
    const limits = { connectTimeoutMs: ANSWER_TIMEOUT_MS, answerTimeoutMs: ANSWER_TIMEOUT_MS, connectionsMax: 3 };
    database = await openDatabase({ url: url.href, ...limits }, silentLogger);
    bff = await startBff({
      database: { ...database, silentMs: () => silentMs ?? database.silentMs(), url: url.href },
    });
  });
  afterAll(async () => {
    isLost = false;
    await bff.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await real.close();
  });

  const ready = async () => (await fetch(`${bff.orderApi}/readyz`)).status;

  it("is told to a load balancer within two seconds, and left when the address answers again", async () => {
    expect(await ready()).toBe(200);
    isLost = true;
    const asked = performance.now();
    expect(await ready()).toBe(503);
    expect(performance.now() - asked).toBeLessThan(3_000);
    // Every connection of the pool is tried, and none of them stays.
    await Promise.allSettled(Array.from({ length: 6 }, () => database.ping()));
    expect(database.silentMs()).toBeGreaterThan(0);
    isLost = false;
    await database.ping();
    expect([await ready(), database.silentMs()]).toEqual([200, 0]);
  });

  it("ends the process's life where it says nothing for a minute", async () => {
    silentMs = 59_999;
    expect((await fetch(`${bff.orderApi}/healthz`)).status).toBe(200);
    silentMs = 60_000;
    const health = await fetch(`${bff.orderApi}/healthz`);
    expect([health.status, await health.json()]).toMatchObject([503, { status: "database_silent" }]);
    silentMs = null;
  });
});
