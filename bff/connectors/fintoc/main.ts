import { join } from "node:path";
import { Command } from "commander";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { runConnector } from "../kit/run-connector.ts";
import { SettingsInvalid } from "../kit/settings.ts";
import { transferIdOf } from "../kit/transfer-id.ts";
import { createFintocClient, openFintoc } from "./open-fintoc.ts";
import { readFintocSettings } from "./settings.ts";
import { listOpenParts, settlePart } from "./transfer-store.ts";

/* The connector's process and its operator's commands: `pnpm --filter bff fintoc …`. */

const MIGRATIONS = join(packageFolder, "connectors/fintoc/migrations");
const write = (text: string) => process.stdout.write(text);

async function serve(): Promise<void> {
  const settings = readFintocSettings(process.env);
  const { accountId, party } = settings;
  const logger = createLogger({ level: "info" });
  const client = createFintocClient({ ...party, clock: systemClock, ids: systemIds });
  const parts = { logger, clock: systemClock, client, accountId };
  await runConnector({ settings, migrations: MIGRATIONS, logger, open: (db) => openFintoc({ ...parts, db }) });
}

/** Runs a command on the connector's database. An embedded one is open in one process: stop the connector first. */
async function onDatabase(run: (db: Database) => Promise<string>): Promise<void> {
  const settings = readFintocSettings(process.env);
  const logger = createLogger({ level: "info" });
  const database = await openDatabase({ url: settings.CONNECTOR_DATABASE_URL, connectionsMax: 2 }, logger);
  try {
    await migrate(database, { clock: systemClock, logger }, MIGRATIONS);
    write(await run(database.db));
  } finally {
    await database.close();
  }
}

interface Settlement {
  readonly by: string;
  readonly because: string;
}

async function settle(providerId: string, idempotencyKey: string, part: string, settlement: Settlement) {
  await onDatabase(async (db) => {
    const name = { transferId: transferIdOf({ providerId, idempotencyKey }), part: Number(part) };
    const isSettled = await settlePart(db, name, { ...settlement, at: systemClock.now() });
    if (!isSettled) process.exitCode = 1;
    return isSettled ? "Settled.\n" : "There is no such failed or returned part of a transfer that was partly paid.\n";
  });
}

const program = new Command("fintoc").description("Fintoc Transfers as the service's bank");
program.command("serve", { isDefault: true }).description("serve the connector protocol").action(serve);
program
  .command("open")
  .description("list parts of transfers that are not paid, oldest first")
  .action(() =>
    onDatabase(async (db) => (await listOpenParts(db)).map((part) => `${JSON.stringify(part)}\n`).join("")),
  );
program
  .command("settle")
  .description("state that you paid a failed or returned part in another way, while other parts were paid; it is final")
  .argument("<provider>", "the provider_id of the call")
  .argument("<key>", "the idempotency key of the call")
  .argument("<part>", "the number of the part")
  .requiredOption("--by <name>", "your name")
  .requiredOption("--because <text>", "how you paid it")
  .action(settle);

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = [SettingsInvalid, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
