import { afterAll, beforeAll, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { orderBody, PATIENTS } from "../orders/orders-world.ts";

let database: TestDatabase;
let bff: TestBff;
let deadlocks = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  const db = troubledDatabase(database.db, (query) => {
    if (!query.includes("with caller as materialized") || deadlocks === 0) return;
    deadlocks -= 1;
    throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  });
  bff = await startBff({ database: { ...database, db } });
});
afterAll(async () => {
  await bff.close();
  await database.close();
});

it("a request whose admission hits a deadlock is admitted again, and its first attempt wrote nothing", async () => {
  const as = await bff.createProvider();
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: "in trouble" });
  deadlocks = 2;
  const { status } = await bff.callOrderApi(orderEndpoints.createOrder, { as, body });
  expect(deadlocks).toBe(0);
  expect(status).toBe(201);
});
