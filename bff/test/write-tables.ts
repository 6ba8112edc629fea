/** `pnpm --filter bff tables`: generates the types of the tables from the migrations. */
import { writeFile } from "node:fs/promises";
import { systemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { silentLogger } from "../src/platform/logger.ts";
import { TABLES_FILE, tablesText } from "./tables.ts";

const database = await openDatabase({ url: "memory://" }, silentLogger);
await migrate(database, { clock: systemClock, logger: silentLogger });
await writeFile(TABLES_FILE, await tablesText(database));
await database.close();
