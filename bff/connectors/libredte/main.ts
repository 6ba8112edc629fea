import { join } from "node:path";
import { Command } from "commander";
import { MINUTE_MS } from "../../src/contract/vocabulary/durations.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { runConnector } from "../kit/run-connector.ts";
import { SettingsInvalid } from "../kit/settings.ts";
import { ticks } from "../kit/ticks.ts";
import { listOpen } from "./document-store.ts";
import type { Libredte } from "./libredte.ts";
import { buildLibredte, createLibredteClient, openLibredte } from "./open-libredte.ts";
import { type Settled, settleDocument } from "./operator.ts";
import { readLibredteSettings } from "./settings.ts";

/* The connector's process and its operator's commands: `pnpm --filter bff libredte …`. */

const MIGRATIONS = join(packageFolder, "connectors/libredte/migrations");
const VERDICTS_EVERY_MS = 5 * MINUTE_MS;
const write = (text: string) => process.stdout.write(text);

function readParts() {
  const settings = readLibredteSettings(process.env);
  const { party, issuerRut, item } = settings;
  const logger = createLogger({ level: "info" });
  const client = createLibredteClient(party);
  return { settings, parts: { logger, clock: systemClock, client, baseUrl: party.baseUrl, issuerRut, item } };
}

async function serve(): Promise<void> {
  const { settings, parts } = readParts();
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopping.abort());
  const open = (db: Database) => openLibredte({ ...parts, db }, ticks(VERDICTS_EVERY_MS, stopping.signal));
  await runConnector({ settings, migrations: MIGRATIONS, logger: parts.logger, open });
}

/** Runs a command on the connector's database. An embedded one is open in one process: stop the connector first. */
async function onDatabase(run: (libredte: Libredte) => Promise<string>): Promise<void> {
  const { settings, parts } = readParts();
  const { logger } = parts;
  const database = await openDatabase({ url: settings.CONNECTOR_DATABASE_URL, connectionsMax: 2 }, logger);
  try {
    await migrate(database, { clock: systemClock, logger }, MIGRATIONS);
    write(await run(buildLibredte({ ...parts, db: database.db })));
  } finally {
    await database.close();
    await parts.client.close();
  }
}

const RESULTS: Readonly<Record<Settled, string>> = {
  issued: "Settled: it is issued.",
  again: "Settled: the next inquiry issues it.",
  not_open: "There is no such document, or its outcome is known.",
  not_found: "LibreDTE has no document of this type with this number.",
  differs: "The document with this number has another day or amount, or belongs to another key.",
};

async function settle(
  providerId: string,
  idempotencyKey: string,
  { number, by, because }: { readonly number: string; readonly by: string; readonly because: string },
): Promise<void> {
  const folio = number === "none" ? null : Number(number);
  if (folio !== null && !Number.isSafeInteger(folio)) throw new SettingsInvalid("--number: a number, or none");
  await onDatabase(async (libredte) => {
    const settled = await settleDocument(libredte, { providerId, idempotencyKey, folio, by, because });
    if (settled !== "issued" && settled !== "again") process.exitCode = 1;
    return `${RESULTS[settled]}\n`;
  });
}

const program = new Command("libredte").description("LibreDTE as the service's issuer of tax documents");
program.command("serve", { isDefault: true }).description("serve the connector protocol").action(serve);
program
  .command("open")
  .description("list documents that are neither issued nor refused, oldest first")
  .action(() =>
    onDatabase(async ({ db }) =>
      (await listOpen(db)).map(({ content: _personal, ...document }) => `${JSON.stringify(document)}\n`).join(""),
    ),
  );
program
  .command("settle")
  .description("state what LibreDTE shows about a document in the state generating or blocked")
  .argument("<provider>", "the provider_id of the call")
  .argument("<key>", "the idempotency key of the call")
  .requiredOption("--number <number>", "the number of the issued document, or none: then it is issued again")
  .requiredOption("--by <name>", "your name")
  .requiredOption("--because <text>", "where you saw it")
  .action(settle);

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = [SettingsInvalid, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
