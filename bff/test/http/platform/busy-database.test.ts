/** @module-tag both-databases */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { asBackground } from "../../../src/platform/callers.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const CONNECTIONS = 2;
const WAITING_MAX = 3;

describe.runIf(testDatabaseKind === "postgres")("a database whose connections are all in use", () => {
  let real: TestDatabase;
  let database: TestDatabase;
  let bff: TestBff;
  let probed: Pick<TestDatabase, "ping" | "answers">;
  let release: () => void = () => undefined;

  beforeAll(async () => {
    real = await openTestDatabase();
    const limits = { connectionsMax: CONNECTIONS, waitingMax: WAITING_MAX };
    database = { ...real, ...(await openDatabase({ url: real.url, ...limits }, silentLogger)) };
    probed = database;
    bff = await startBff({
      database: { ...database, ping: () => probed.ping(), answers: () => probed.answers() },
    });
  });
  afterAll(async () => {
    release();
    await bff.close();
    await database.close();
    await real.close();
  });

  /** Uses up every connection until `release` is called. */
  async function useUp(): Promise<void> {
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = Array.from({ length: CONNECTIONS }, () => {
      return new Promise<void>((resolve) => {
        void database.withSession(() => {
          resolve();
          return over;
        });
      });
    });
    await Promise.all(held);
  }

  const create = (reference: string) =>
    bff.callOrderApi(orderEndpoints.createOrder, {
      as: bff.clinic,
      body: {
        reference,
        total_amount: 40_000,
        customer: {
          rut: "40000778-0",
          first_name: "Camila",
          last_name: "Rojas",
          email: "camila@example.com",
          phone_number: "+56912345678",
        },
      },
    });
  const isReady = async () => {
    const answer = await fetch(`${bff.orderApi}/readyz`);
    return [answer.status, await answer.json()];
  };
  const READY = [200, { status: "ready", checks: { database: true, migrations: true } }];

  it("leaves the process ready, and answers 503 without effect to requests beyond the queue's end", async () => {
    await useUp();
    const waiting = Array.from({ length: WAITING_MAX }, (_, number) => create(`waits-${number}`));
    await expect.poll(() => database.load().waiting).toBe(WAITING_MAX);
    const refused = await create("refused");
    expect(refused).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(refused.headers.get("retry-after")).toBe("5");
    const query = new URLSearchParams({ public_key: bff.clinic.credentials.public_key, rut: "40000778-0" });
    expect((await fetch(`${bff.spotApi}/api/spot/is_user_subscribed?${query.toString()}`)).status).toBe(503);
    expect(await isReady()).toEqual(READY);
    release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201]);
    const orders = await database.db.selectFrom("orders").select("reference").orderBy("reference").execute();
    expect(orders.map(({ reference }) => reference)).toEqual(["waits-0", "waits-1", "waits-2"]);
  });

  it("leaves the process ready if the probe's answer is late or refused while others are answered", async () => {
    let answered = 0;
    const answers = () => (answered += 1);
    probed = { ping: () => new Promise(() => undefined), answers };
    expect(await isReady()).toEqual(READY);
    probed = { ping: () => Promise.reject(new DatabaseUnavailable("too many connections")), answers };
    const other = await startBff({ database: { ...database, ...probed } });
    expect((await fetch(`${other.orderApi}/readyz`)).status).toBe(200);
    await other.close();
  });

  it("through background work still answers requests, since that never takes the last connections", async () => {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const works = Array.from({ length: 5 }, () => asBackground(() => database.withSession(() => over)));
    await expect.poll(() => database.load().connections - database.load().idle).toBe(CONNECTIONS - 1);
    expect((await create("beside-background-work")).status).toBe(201);
    end();
    await Promise.all(works);
  });
});
