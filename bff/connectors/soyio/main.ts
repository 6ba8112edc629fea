import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../src/platform/clock.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { runConnector } from "../kit/run-connector.ts";
import { SettingsInvalid } from "../kit/settings.ts";
import { createSoyioClient, openSoyio } from "./open-soyio.ts";
import { readSoyioSettings } from "./settings.ts";

/* The connector's process: `pnpm --filter bff soyio`. */

try {
  const settings = readSoyioSettings(process.env);
  const { keyExpiresAt, party } = settings;
  const logger = createLogger({ level: "info" });
  const parts = {
    ...{ logger, clock: systemClock, keyExpiresAt },
    client: createSoyioClient(party),
    secret: settings.CONNECTOR_TOKEN,
    wait: (milliseconds: number) => pause(milliseconds),
  };
  const migrations = join(packageFolder, "connectors/soyio/migrations");
  await runConnector({ settings, migrations, logger, open: (db) => openSoyio({ ...parts, db }) });
} catch (error) {
  const isExpected = [SettingsInvalid, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
