import type { RequestListener, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../src/app/config.ts";
import { listenForFaces, listenForProbes, NOT_TAKEN } from "../../src/app/listen.ts";
import { createReach } from "../../src/app/probes.ts";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { programOf } from "../../src/platform/program.ts";
import { startBff, type TestBff } from "../start-bff.ts";

const { version } = programOf({ commit: null });
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const ORDER_FACE = { LOG_LEVEL: "silent", FACES: "order", ORDER_API_PORT: "0" };

/** The readiness that a load balancer sees, after a busy machine has had time to answer. */
const readinessOf = (origin: string | undefined) => expect.poll(async () => (await fetch(`${origin}/readyz`)).status);

it.each(["orderApi", "spotApi", "widgetHost"] as const)("%s reports that it is alive and ready", async (face) => {
  const health = await fetch(`${bff[face]}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok", version, commit: "unknown" }]);
  const ready = async () => {
    const answer = await fetch(`${bff[face]}/readyz`);
    return [answer.status, await answer.json()];
  };
  await expect.poll(ready).toEqual([200, { status: "ready", checks: { database: true, migrations: true } }]);
});

it.each([
  ["has a full disk", "disk_full"],
  ["is read-only", "read_only_sql_transaction"],
])("a database that %s gives 503 and not ready, until it takes writes again", async (_trouble, condition) => {
  const { db } = bff.database;
  const body = {
    reference: condition,
    total_amount: 40_000,
    customer: {
      rut: "40000778-0",
      first_name: "Camila",
      last_name: "Rojas",
      email: "camila@example.com",
      phone_number: "+56912345678",
    },
  };
  const create = () => bff.callOrderApi(orderEndpoints.createOrder, { as: bff.clinic, body });
  await sql`create function refuse_write() returns trigger language plpgsql as $$
    begin raise exception 'no write today' using errcode = ${sql.lit(condition)}; end $$`.execute(db);
  for (const table of ["orders", "deployment"])
    await sql`create trigger refuse_write before insert or update on ${sql.table(table)}
      for each statement execute function refuse_write()`.execute(db);
  expect(await create()).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  const ready = await fetch(`${bff.orderApi}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { database: false } }]);
  expect((await fetch(`${bff.orderApi}/healthz`)).status).toBe(200);
  await sql`drop function refuse_write cascade`.execute(db);
  await readinessOf(bff.orderApi).toBe(200);
  expect((await create()).status).toBe(201);
});

it("concurrent probes share one query of the database, and none is refused", async () => {
  let asking = 0;
  let atOnceMax = 0;
  const ping = async () => {
    asking += 1;
    atOnceMax = Math.max(atOnceMax, asking);
    await bff.database.ping().finally(() => {
      asking -= 1;
    });
  };
  const asked = await startBff({ database: { ...bff.database, ping } });
  const ask = async () => (await fetch(`${asked.orderApi}/readyz`)).status;
  // A late ping continues, and a concurrent one is not a fault.
  const answers = async () => (asking > 0 ? null : new Set(await Promise.all(Array.from({ length: 50 }, ask))));
  await expect.poll(answers).toEqual(new Set([200]));
  await asked.close();
  expect(atOnceMax).toBe(1);
});

it("a process without all migrations is alive and not ready", async () => {
  const { db } = bff.database;
  await sql`update schema_migrations set sha256 = sha256 || 'x' where number = 2`.execute(db);
  const ready = await fetch(`${bff.orderApi}/readyz`);
  expect(ready.status).toBe(503);
  expect((await fetch(`${bff.orderApi}/healthz`)).status).toBe(200);
  await sql`update schema_migrations set sha256 = left(sha256, 64) where number = 2`.execute(db);
  await readinessOf(bff.orderApi).toBe(200);
});

it("a process keeps serving after a newer version's migrations, so that it can be replaced", async () => {
  const { db } = bff.database;
  await sql`insert into schema_migrations (number, name, sha256, applied_at, needs_stop)
    values (9999, '9999_newer.sql', ${"0".repeat(64)}, now(), false)`.execute(db);
  await readinessOf(bff.orderApi).toBe(200);
  await sql`update schema_migrations set needs_stop = true where number = 9999`.execute(db);
  expect((await fetch(`${bff.orderApi}/readyz`)).status).toBe(503);
  await sql`delete from schema_migrations where number = 9999`.execute(db);
});

it("a process that is not ready answers the port of its probes: alive and not ready", async () => {
  const probes = await listenForProbes(readConfig({ LOG_LEVEL: "silent", PROBES_PORT: "0" }));
  const origin = `http://127.0.0.1:${probes?.port}`;
  const health = await fetch(`${origin}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok", version, commit: "unknown" }]);
  const ready = await fetch(`${origin}/readyz`, { headers: { "x-request-id": "clinic-request-000002" } });
  expect([ready.status, ready.headers.get("x-request-id")]).toEqual([503, "clinic-request-000002"]);
  expect(await ready.json()).toMatchObject({ code: "service_unavailable", request_id: "clinic-request-000002" });
  await probes?.close();
});

it("a request that arrives before the faces are set up waits for them", async () => {
  const faces = await listenForFaces(readConfig(ORDER_FACE));
  const early = fetch(`http://127.0.0.1:${faces.ports.get("order")}/orders`);
  for (let turns = 0; turns < 100; turns += 1) await nextTurn();
  faces.serve(new Map([["order", (_request, response) => void response.end("served")]]));
  expect(await (await early).text()).toBe("served");
  await faces.close({ deadlineMs: 1_000 });
});

it("a stopping process is not ready, serves requests, and closes its connections", async () => {
  const faces = await listenForFaces(readConfig(ORDER_FACE));
  const origin = `http://127.0.0.1:${faces.ports.get("order")}`;
  faces.serve(new Map([["order", (_request, response) => void response.end("served")]]));
  expect((await fetch(`${origin}/orders`)).headers.get("connection")).toBe("keep-alive");
  faces.drain();
  const ready = await fetch(`${origin}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: "draining" }]);
  const served = await fetch(`${origin}/orders`);
  expect([served.status, served.headers.get("connection"), await served.text()]).toEqual([200, "close", "served"]);
  await faces.close({ deadlineMs: 1_000 });
});

it("a stopping process accepts no new request, reads the body of an accepted one, and finishes it", async () => {
  const faces = await listenForFaces(readConfig(ORDER_FACE));
  const origin = `http://127.0.0.1:${faces.ports.get("order")}`;
  const seen: string[] = [];
  const arrived = new Promise<ServerResponse>((resolve) => {
    const app: RequestListener = ({ url = "" }, response) => {
      seen.push(url);
      resolve(response);
    };
    faces.serve(new Map([["order", app]]));
  });
  const taken = fetch(`${origin}/taken`);
  const response = await arrived;
  faces.drain();
  faces.leave();
  const refused = await fetch(`${origin}/refused`, { method: "PUT", body: Buffer.alloc(8_000_000) });
  expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([
    NOT_TAKEN,
    "1",
    "close",
  ]);
  expect(await refused.json()).toMatchObject({ code: "service_unavailable" });
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  response.end("served");
  expect(await (await taken).text()).toBe("served");
  expect(seen).toEqual(["/taken"]);
  await faces.close({ deadlineMs: 1_000 });
});

it("a process without its database passes requests on, and serves again", async () => {
  const faces = await listenForFaces(readConfig(ORDER_FACE));
  faces.serve(new Map([["order", (_request, response) => void response.end("served")]]));
  const origin = `http://127.0.0.1:${faces.ports.get("order")}`;
  const status = async (path: string) => (await fetch(`${origin}${path}`)).status;
  faces.accept(false);
  expect(await status("/orders")).toBe(NOT_TAKEN);
  expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 200]);
  faces.accept(true);
  expect(await status("/orders")).toBe(200);
  await faces.close({ deadlineMs: 1_000 });
});

it("a process knows whether its database can be reached, also while that refuses writes", async () => {
  const silent = () => new Promise<never>(() => undefined);
  const refused = () => Promise.reject(new Error("It does not answer."));
  const reach = (ping: () => Promise<void>, refusal: "read_only" | null = null) =>
    createReach({ database: { ...bff.database, ping, writeRefusal: () => refusal }, logger: silentLogger })();
  const all = [reach(async () => undefined), reach(refused), reach(refused, "read_only"), reach(silent)];
  expect(await Promise.all(all)).toEqual([true, false, true, false]);
});

it("a separate probes' port answers from before a process serves until its last request has finished", async () => {
  const asked = await startBff({ environment: { PROBES_PORT: "0" }, database: bff.database });
  const probe = async (path: string) => (await fetch(`${asked.probes}${path}`)).status;
  await readinessOf(asked.probes).toBe(200);
  expect([await probe("/healthz"), await probe("/orders")]).toEqual([200, 404]);
  for (const face of ["orderApi", "spotApi", "widgetHost"] as const)
    expect((await fetch(`${asked[face]}/readyz`)).status).toBe(404);
  await asked.close();

  const variables = readConfig({ ...ORDER_FACE, PROBES_PORT: "0" });
  const [faces, probes] = [await listenForFaces(variables), await listenForProbes(variables)];
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${probes?.port}${path}`)).status;
  const arrived = new Promise<ServerResponse>((resolve) => {
    faces.serve(new Map([["order", (_request, response) => resolve(response)]]));
  });
  probes?.serve((_request, response) => void response.end("alive"));
  const request = fetch(`http://127.0.0.1:${faces.ports.get("order")}/orders`);
  const response = await arrived;
  probes?.drain();
  faces.drain();
  const closed = faces.close({ deadlineMs: 60_000 });
  expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 503]);
  response.end("served");
  expect(await (await request).text()).toBe("served");
  await closed;
  await probes?.close();
  await expect(status("/healthz")).rejects.toThrow();
});

it("every answer carries a request id, the caller's own if it is acceptable", async () => {
  const own = await fetch(`${bff.orderApi}/healthz`, { headers: { "x-request-id": "clinic-request-000001" } });
  expect(own.headers.get("x-request-id")).toBe("clinic-request-000001");
  const made = await fetch(`${bff.orderApi}/healthz`, { headers: { "x-request-id": "12.345.678-5" } });
  expect(made.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

it("an unknown address is answered in the format and language of its host", async () => {
  const order = await fetch(`${bff.orderApi}/nowhere`);
  expect([order.status, await order.json()]).toEqual([
    404,
    { detail: { error_code: "not_found", message: "There is nothing at this address." }, code: "not_found" },
  ]);
  const spot = await fetch(`${bff.spotApi}/api/nowhere`);
  expect(await spot.json()).toEqual({ detail: "There is nothing at this address.", code: "not_found" });
  const widget = await fetch(`${bff.widgetHost}/nowhere`);
  expect(await widget.json()).toEqual({ detail: "No encontramos lo que buscas.", code: "not_found" });
});

it("a path that cannot be decoded gives 404, not 500", async () => {
  expect((await fetch(`${bff.orderApi}/orders/%E0%A4%A`)).status).toBe(404);
});
