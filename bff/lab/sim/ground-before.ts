import { randomUUID } from "node:crypto";
import pg from "pg";
import { systemClock } from "../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/database.ts";
import { migrate, readMigrations } from "../../src/platform/database/migrate.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { noteTransitions } from "./coverage.ts";
import { noteHistory } from "./moment.ts";
import type { VersionBefore } from "./version-before.ts";
import { type Ground, makeSealingKeys } from "./world.ts";

const MIGRATING = { clock: systemClock, logger: silentLogger };

/**
 * Runs lives that begin on another version, on PostgreSQL. Each life has a separate database, because a migrated schema
 * cannot be reverted. Processes of this version open new connections, as in production, because an old connection
 * caches the schema.
 */
export async function openGroundBefore(version: VersionBefore, serverUrl: string): Promise<Ground> {
  const template = `aapd_before_${randomUUID().replaceAll("-", "")}`;
  const name = `${template}_life`;
  const url = databaseUrl(serverUrl, name);
  await onServer(serverUrl, `create database ${template}`);
  await fill(await version.openDatabase({ url: databaseUrl(serverUrl, template) }, silentLogger), version);
  const known = new Set(version.migrations.map((migration) => migration.name));
  const between = (await readMigrations()).filter((migration) => !known.has(migration.name));
  let opened: OpenDatabase[] = [];
  const drop = async () => {
    for (const database of opened) await database.close();
    opened = [];
    await onServer(serverUrl, `drop database if exists ${name} with (force)`);
  };
  return {
    get database() {
      const newest = opened.at(-1);
      if (newest === undefined) throw new Error("A life opens its database.");
      return newest;
    },
    before: {
      version,
      mustStop: between.some(({ needsStop }) => needsStop),
      async migrate() {
        const database = await openDatabase({ url }, silentLogger);
        opened.push(database);
        await migrate(database, MIGRATING);
        await noteHistory(database);
      },
    },
    async clear() {
      await drop();
      await onServer(serverUrl, `create database ${name} template ${template}`);
      opened = [await version.openDatabase({ url }, silentLogger)];
    },
    async close() {
      await drop();
      await onServer(serverUrl, `drop database ${template} with (force)`);
    },
  };
}

async function fill(database: OpenDatabase, version: VersionBefore): Promise<void> {
  await version.migrate(database, MIGRATING);
  await makeSealingKeys(database, version);
  await noteTransitions(database);
  await database.close();
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
