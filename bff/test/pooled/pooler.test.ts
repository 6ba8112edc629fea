import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../src/app/run-command.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/database.ts";
import { MigrationRefused, PoolerRefused } from "../../src/platform/database/errors.ts";
import { migrate, NEEDS_POSTGRES_ITSELF } from "../../src/platform/database/migrate.ts";
import { requireSuitedConnections } from "../../src/platform/database/suited-connections.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase } from "../database.ts";
import { findPgbouncer, startPgbouncer } from "../pgbouncer.ts";

/*
 * A process behind PgBouncer in transaction mode, with and without the setting for it. The order tests show that the
 * service works there.
 */
const LIMITS = "options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout";
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** The test's database behind a separate pooler. */
async function pooled({ limits, ignored }: { limits: boolean; ignored: string }): Promise<string> {
  const installation = findPgbouncer();
  if (installation === undefined) throw new Error("PgBouncer is not installed here.");
  const pooler = await startPgbouncer(installation, { serverUrl: database.url, limits, ignored });
  stops.push(pooler.stop);
  return pooler.url;
}

async function opened(config: { url: string; isPooled?: boolean }): Promise<OpenDatabase> {
  const open = await openDatabase(config, silentLogger);
  stops.push(open.close);
  return open;
}

/** Many concurrent statements, each of which another connection may have prepared. */
function manyAtOnce({ db }: OpenDatabase) {
  const one = (place: number) => sql`select pg_sleep(0.005), ${place % 7}::int as place`.execute(db);
  return Promise.allSettled(Array.from({ length: 60 }, (_value, place) => one(place)));
}

describe("a process with the pooler in its configuration", () => {
  it("is the setup of the order tests", () => {
    expect(database.isPooled).toBe(true);
  });

  it("gets an answer to every statement, on any connection", async () => {
    const open = await opened({ url: await pooled({ limits: true, ignored: "" }), isPooled: true });
    await requireSuitedConnections(open);
    expect((await manyAtOnce(open)).filter(({ status }) => status === "rejected")).toEqual([]);
  });

  it("does not start if the role has no limits, and explains which and how to set them", async () => {
    const open = await opened({ url: await pooled({ limits: false, ignored: "" }), isPooled: true });
    await expect(requireSuitedConnections(open)).rejects.toThrow(
      /not set: idle_in_transaction_session_timeout, lock_timeout, statement_timeout.*alter role/,
    );
  });

  it("refuses to migrate: a session's lock would move to another client", async () => {
    const open = await opened({ url: await pooled({ limits: true, ignored: "" }), isPooled: true });
    const migrating = migrate(open, { clock: systemClock, logger: silentLogger });
    await expect(migrating).rejects.toBeInstanceOf(MigrationRefused);
  });
});

describe("a process behind an undeclared pooler", () => {
  it.each([
    ["refuses its settings", { limits: true, ignored: "" }],
    ["takes its settings and drops them", { limits: false, ignored: LIMITS }],
    ["has the same limits by itself, so that connections alone tell it", { limits: true, ignored: LIMITS }],
  ])("does not start behind one that %s", async (_name, pooler) => {
    const open = await opened({ url: await pooled(pooler) });
    const checking = requireSuitedConnections(open);
    await expect(checking).rejects.toBeInstanceOf(PoolerRefused);
    await expect(checking).rejects.toThrow("Set DATABASE_POOLER=transaction");
  });

  it("would get errors: another connection has prepared its statements", async () => {
    const open = await opened({ url: await pooled({ limits: true, ignored: LIMITS }) });
    const failed = (await manyAtOnce(open)).filter(({ status }) => status === "rejected");
    expect(failed).not.toEqual([]);
  });

  it("a process without a pooler in its configuration starts on PostgreSQL itself", async () => {
    await requireSuitedConnections(await opened({ url: database.url }));
  });
});

describe("aapd migrate", () => {
  async function migrating(variables: NodeJS.ProcessEnv) {
    const error: string[] = [];
    const terminal = {
      environment: { ENVIRONMENT: "staging", LOG_LEVEL: "silent", ...variables },
      write: () => undefined,
      writeError: (text: string) => void error.push(text),
    };
    return { code: await runCommand(terminal, ["migrate"]), error: error.join("") };
  }

  it("needs PostgreSQL itself if a pooler is configured", async () => {
    const url = await pooled({ limits: true, ignored: "" });
    const { code, error } = await migrating({ DATABASE_URL: url, DATABASE_POOLER: "transaction" });
    expect([code, error]).toEqual([1, expect.stringContaining(NEEDS_POSTGRES_ITSELF)]);
  });

  it("reports a pooler that is not configured", async () => {
    const { code, error } = await migrating({ DATABASE_URL: await pooled({ limits: true, ignored: LIMITS }) });
    expect([code, error]).toEqual([1, expect.stringContaining("DATABASE_POOLER")]);
  });

  it("runs on PostgreSQL itself", async () => {
    expect(await migrating({ DATABASE_URL: database.url })).toEqual({ code: 0, error: "" });
  });
});
