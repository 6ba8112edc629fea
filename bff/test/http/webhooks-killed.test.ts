/** @module-tag both-databases */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { setWebhook } from "../../src/webhooks/endpoints.ts";
import { builtProgram } from "../built-program.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { layTestDatabase, openTestDatabase, type TestDatabase, testDatabaseKind } from "../database.ts";
import { startBff, type TestBff } from "../start-bff.ts";
import { startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

const program = builtProgram("test/http/fixtures/die-delivering.ts");

let folder: string;
let receiver: WebhookReceiver;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-killed-"));
  if (testDatabaseKind === "pglite") await layTestDatabase(folder);
  receiver = await startReceiver(systemClock);
});
afterEach(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** A database that another process can open, which PGlite in memory is not. */
async function openShared(): Promise<TestDatabase> {
  if (testDatabaseKind === "postgres") return openTestDatabase();
  return { ...(await openDatabase({ url: folder }, silentLogger)), url: folder };
}

let worker: ChildProcess;

/** Runs a worker on the database until it is killed at a step. Returns the signal. */
async function workAndDie(url: string, step: string): Promise<string | null> {
  worker = spawn(process.execPath, [program, url, step], { stdio: "inherit" });
  const [, signal] = await once(worker, "exit");
  return typeof signal === "string" ? signal : null;
}

/** One order with one event, and an endpoint for it. */
async function prepare(bff: TestBff): Promise<void> {
  const guardedFetch = createGuardedFetch({ allowLoopback: true });
  const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
  await setWebhook(operations, { providerId: bff.clinic.provider.id, url: receiver.url });
  await guardedFetch.close();
  await cancelledOrder(bff, bff.clinic);
}

describe("a worker that is killed", () => {
  it.each([
    ["dispatching", 1, ["succeeded"]],
    ["dispatched", 1, ["succeeded"]],
    ["claimed", 1, ["interrupted", "succeeded"]],
    ["sending", 2, ["interrupted", "succeeded"]],
    ["answered", 2, ["interrupted", "succeeded"]],
    ["recorded", 1, ["succeeded"]],
  ])("when it was %s loses nothing and records nothing false", async (step, arrivals, outcomes) => {
    // The receiver itself kills the worker that waits for its answer. The other steps are before or after that.
    receiver.behave((response) => {
      if (step === "sending" && receiver.received.length === 1) worker.kill("SIGKILL");
      else response.writeHead(204).end();
    });
    const first = await openShared();
    const bff = await startBff({ database: first, now: new Date() });
    await prepare(bff);
    await bff.close();
    if (testDatabaseKind === "pglite") await first.close();
    expect(await workAndDie(first.url, step)).toBe("SIGKILL");
    const again = testDatabaseKind === "pglite" ? await openShared() : first;
    // The leases of killed workers expire.
    const survivor = await startBff({ database: again, now: new Date(Date.now() + 61_000) });
    try {
      await survivor.runDue();
      expect(receiver.received).toHaveLength(arrivals);
      expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(1);
      const attempts = await again.db.selectFrom("all_webhook_attempts").select("outcome").orderBy("number").execute();
      expect(attempts.map(({ outcome }) => outcome)).toEqual(outcomes);
      await survivor.advance(3 * 60 * 60_000);
      expect(receiver.received).toHaveLength(arrivals);
    } finally {
      await survivor.close();
      await again.close();
    }
  });
});
