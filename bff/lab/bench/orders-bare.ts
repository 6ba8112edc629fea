import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import express from "express";
import pg from "pg";
import { partnerOrder } from "../../src/orders/order-view.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { createProvider } from "../../src/tenants/create-provider.ts";
import { orderStatement, readCaller, sampleOrder } from "./orders-statement.ts";
import { keyring } from "./webhook-work.ts";

/*
 * What POST /orders would be without any of it: Express, its own JSON, and the very same statement. No credential is
 * looked at, nothing is validated, nothing is logged. Argument: the database's address; for `memory://` it has one of
 * its own.
 */

const url = process.argv[2] ?? "";
const connectionsMax = 10;
const embedded = url.startsWith("postgres") ? null : await PGlite.create("memory://");
const migrated = await openDatabase({ url, connectionsMax: 2, ...(embedded && { running: embedded }) }, silentLogger);
await migrate(migrated, { clock: systemClock, logger: silentLogger });
const { provider } = await createProvider(
  { db: migrated.db, clock: systemClock, ids: systemIds, keyring, environment: "production", actor: "bench" },
  {
    name: "Clínica",
    rut: "76.900.001-1",
    commissionPercentage: 7,
    commissionTax: { regime: "interest" },
    supportEmail: "a@example.com",
  },
);
const { text, values, at } = orderStatement(migrated.db, await readCaller(migrated.db, provider.id));
const query = await openBare();

async function openBare(): Promise<(values: unknown[]) => Promise<unknown>> {
  await migrated.close();
  if (embedded !== null) return (given) => embedded.query(text, given);
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax });
  return (given) => pool.query({ name: "insert_order", text, values: given });
}

const sample = partnerOrder(sampleOrder(provider.id), { expense: null, collection: null }, new Date());

const app = express();
app.use(express.json());
app.post("/orders", async (request, response) => {
  const id = randomUUID();
  const given = [...values];
  for (const place of at.id) given[place] = id;
  for (const place of at.reference) given[place] = request.body.reference;
  for (const place of at.keyHash) given[place] = request.get("idempotency-key");
  await query(given);
  const now = new Date().toISOString();
  response
    .status(201)
    .json({ ...sample, hash: id, reference: request.body.reference, created_at: now, updated_at: now });
});
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
// Leaves what a profiler has to write to the end of the process.
process.once("SIGTERM", () => process.exit(0));
