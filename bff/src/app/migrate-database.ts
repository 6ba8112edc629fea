import { systemClock } from "../platform/clock.ts";
import { openDatabase } from "../platform/database/database.ts";
import { hasTable, migrate } from "../platform/database/migrate.ts";
import { requireSuitedConnections } from "../platform/database/suited-connections.ts";
import { createLogger } from "../platform/logger.ts";
import { requireEnvironment } from "../platform/own-database.ts";
import { readDatabaseConfig } from "./config.ts";

/**
 * Migrates the database to this version's newest migration. It needs only the database and its environment, so that
 * migrations run without keys or addresses of outside parties.
 */
export async function migrateDatabase(given: {
  readonly environment: NodeJS.ProcessEnv | undefined;
  readonly writeError: (text: string) => void;
}): Promise<void> {
  const { environment, databaseUrl: url, isDatabasePooled: isPooled, logLevel } = readDatabaseConfig(given.environment);
  const logger = createLogger({ level: logLevel, destination: { write: given.writeError } });
  const database = await openDatabase({ url, isPooled }, logger);
  try {
    await requireSuitedConnections(database);
    const isNamed = await database.withSession((session) => hasTable(session, "deployment"));
    if (isNamed) await requireEnvironment(database, environment);
    await migrate(database, { clock: systemClock, logger });
    await requireEnvironment(database, environment);
  } finally {
    await database.close();
  }
}
