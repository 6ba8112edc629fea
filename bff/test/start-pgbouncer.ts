import { findPgbouncer, startPgbouncer } from "./pgbouncer.ts";

/** Setup of `vitest.pooled.config.ts`: makes every test database reachable through PgBouncer. */
export async function setup(): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: serverUrl } = process.env;
  if (serverUrl === undefined)
    throw new Error("PostgreSQL 15 or newer is not installed here, or TEST_DATABASE_URL not set.");
  const installation = findPgbouncer();
  if (installation === undefined) throw new Error("PgBouncer is not installed here.");
  const pooler = await startPgbouncer(installation, { serverUrl, limits: true, ignored: "" });
  process.env.TEST_DATABASE = "postgres";
  process.env.TEST_POOLER_URL = pooler.url;
  return pooler.stop;
}
