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
import { purposeOf } from "../../src/tenants/credentials.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { orderStatement, readCaller, sampleOrder } from "./orders-statement.ts";
import { keyring } from "./webhook-work.ts";

/*
 * The minimum cost of POST /orders: Express, its JSON, and the same insert. It validates and logs nothing. A caller
 * with a credential is looked up by one named statement. Argument: the database's address; `memory://` gives it a
 * separate one.
 */

const url = process.argv[2] ?? "";
const connectionsMax = 10;
const embedded = url.startsWith("postgres") ? null : await PGlite.create("memory://");
const migrated = await openDatabase({ url, connectionsMax: 2, ...(embedded && { running: embedded }) }, silentLogger);
await migrate(migrated, { clock: systemClock, logger: silentLogger });
const { provider, credentials } = await createProvider(
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
const findCaller = `
  select p.id, p.name, p.scopes from credentials c join providers p on p.id = c.provider_id
  where c.kind = 'client_secret' and c.lookup = $1 and (c.ends_at is null or c.ends_at > $2) and p.active`;
const query = await openBare();

async function openBare(): Promise<(name: string, text: string, values: unknown[]) => Promise<{ rows: unknown[] }>> {
  await migrated.close();
  if (embedded !== null) return (_name, sql, given) => embedded.query(sql, given);
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax });
  return (name, sql, given) => pool.query({ name, text: sql, values: given });
}

async function isKnown(authorization: string): Promise<boolean> {
  const lookup = keyring.hmac(purposeOf("client_secret"), authorization.slice("Bearer ".length));
  return (await query("find_caller", findCaller, [lookup, new Date()])).rows.length === 1;
}

const sample = partnerOrder(sampleOrder(provider.id), { expense: null, collection: null }, new Date());

const app = express();
app.use(express.json());
app.post("/orders", async (request, response) => {
  const authorization = request.get("authorization");
  if (authorization !== undefined && !(await isKnown(authorization))) {
    response.status(401).end();
    return;
  }
  const id = randomUUID();
  const given = [...values];
  for (const place of at.id) given[place] = id;
  for (const place of at.reference) given[place] = request.body.reference;
  for (const place of at.keyHash) given[place] = request.get("idempotency-key");
  await query("insert_order", text, given);
  const now = new Date().toISOString();
  response
    .status(201)
    .json({ ...sample, hash: id, reference: request.body.reference, created_at: now, updated_at: now });
});
const server = app.listen(0, "127.0.0.1", () => {
  const clientSecret = credentials.find(({ kind }) => kind === "client_secret")?.value;
  process.send?.({ port: (server.address() as AddressInfo).port, clientSecret });
});
// Exits normally, so that a profiler can write its output.
process.once("SIGTERM", () => process.exit(0));
