import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect } from "vitest";
import { claimKeysCommand } from "../../../sandbox/keys/claim-keys.ts";
import { seedCommand } from "../../../sandbox/seed.ts";
import { readConfig } from "../../../src/app/config.ts";
import { openStorage } from "../../../src/app/open-storage.ts";
import { runCommand } from "../../../src/app/run-command.ts";
import type { OpenDatabase } from "../../../src/platform/database/database.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { layTestDatabase, openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";

interface Run {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** The operators' command line with a separate folder and database, for the tests of one file. No service runs. */
export function beginCommandLine() {
  /** The folder for the data and the keyring. */
  let dataDir: string;
  let database: TestDatabase | null = null;
  /** The environment of every command. */
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "aapd-cli-"));
    database = testDatabaseKind === "postgres" ? await openTestDatabase() : null;
    if (database === null) await layTestDatabase(dataDir);
    environment = {
      DATA_DIR: dataDir,
      LOG_LEVEL: "silent",
      WEBHOOKS_ALLOW_LOOPBACK: "true",
      ...(database === null ? {} : { DATABASE_URL: database.url, ENVIRONMENT: "staging" }),
    };
  });
  afterAll(async () => {
    await database?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function aapd(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Run> {
    const out: string[] = [];
    const error: string[] = [];
    const terminal = {
      environment: { ...environment, ...variables },
      write: (text: string) => void out.push(text),
      writeError: (text: string) => void error.push(text),
    };
    return {
      code: await runCommand(terminal, args, [seedCommand, claimKeysCommand]),
      out: out.join(""),
      error: error.join(""),
    };
  }

  /** The `--json` output of a command: one object on one line, and nothing else. */
  async function json(...args: string[]) {
    const run = await aapd([...args, "--json"]);
    if (run.code !== 0) throw new Error(run.error);
    expect(run.out.trimEnd()).not.toContain("\n");
    return JSON.parse(run.out);
  }

  /** Opens the database between two commands, and closes it again. */
  async function withStorage<Value>(look: (open: OpenDatabase) => Promise<Value>): Promise<Value> {
    const open = await openStorage(readConfig(environment), silentLogger);
    try {
      return await look(open.database);
    } finally {
      await open.database.close();
    }
  }

  return { dataDir: () => dataDir, environment: () => environment, aapd, json, withStorage };
}

/** Writes an order of 40,000 pesos directly, because no server runs next to the command line. */
export async function writeOrder(
  { db }: Pick<OpenDatabase, "db">,
  order: { readonly providerId: string; readonly id: string; readonly state: string; readonly at: Date },
): Promise<void> {
  const { providerId, id, state, at } = order;
  await sql`insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part,
      commission_basis_points, customer_rut, customer_first_name, customer_last_name, customer_email, customer_phone,
      created_by, created_at, updated_at)
    values (${providerId}, ${id}, 'staging', ${id}, ${state}, 40000, 12000, 28000, 700, '40513193-5', 'Camila', 'Rojas',
      'camila@example.com', '+56912345678', ${providerId}, ${at}, ${at})`.execute(db);
}
