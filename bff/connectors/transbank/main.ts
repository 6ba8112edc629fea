import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import * as z from "zod";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { listUnanswered } from "../kit/kept-call-store.ts";
import { runConnector } from "../kit/run-connector.ts";
import { SettingsInvalid } from "../kit/settings.ts";
import { listLostEnrolments } from "./enrolment-store.ts";
import { type Columns, FileRefused, importChargebacks, importSettlements } from "./import-files.ts";
import type { Oneclick } from "./oneclick.ts";
import { buildOneclick, createTransbankClient, openOneclick } from "./open-oneclick.ts";
import { type PortalReading, type SettledCall, settleUnknown } from "./operator.ts";
import { readTransbankSettings } from "./settings.ts";

/* The connector's process and its operator's commands: `pnpm --filter bff transbank …`. */

const MIGRATIONS = join(packageFolder, "connectors/transbank/migrations");
const write = (text: string) => process.stdout.write(text);

function partsOf(settings: ReturnType<typeof readTransbankSettings>) {
  const { terms, party, TRANSBANK_PAGE_ORIGIN: pageOrigin, TRANSBANK_SEAL_KEYS: sealKeys } = settings;
  const logger = createLogger({ level: "info" });
  const client = createTransbankClient(party);
  return { logger, clock: systemClock, ids: systemIds, terms, pageOrigin, sealKeys, client };
}

async function serve(): Promise<void> {
  const settings = readTransbankSettings(process.env);
  const parts = partsOf(settings);
  const { logger } = parts;
  await runConnector({ settings, migrations: MIGRATIONS, logger, open: (db) => openOneclick({ ...parts, db }) });
}

/** Runs a command on the connector's database. An embedded one is open in one process: stop the connector first. */
async function onDatabase(run: (oneclick: Oneclick) => Promise<string>): Promise<void> {
  const settings = readTransbankSettings(process.env);
  const parts = partsOf(settings);
  const database = await openDatabase({ url: settings.CONNECTOR_DATABASE_URL, connectionsMax: 2 }, parts.logger);
  try {
    await migrate(database, parts, MIGRATIONS);
    write(await run(buildOneclick({ ...parts, db: database.db })));
  } finally {
    await parts.client.close();
    await database.close();
  }
}

const columnsSchema = z.record(z.string(), z.string());

function readColumns(text: string): Columns {
  try {
    return columnsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new FileRefused("--columns is no JSON object of texts.", { cause });
  }
}

async function importFile(
  store: typeof importSettlements,
  path: string,
  { columns }: { readonly columns?: string },
): Promise<void> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new FileRefused(`${path} cannot be read.`, { cause });
  });
  const named = readColumns(columns ?? "{}");
  await onDatabase(async (oneclick) => {
    const { stored, known } = await store(oneclick, text, named);
    return `Stored ${stored}; ${known} were stored before.\n`;
  });
}

type SettleOptions = Omit<PortalReading, "wasDone"> & { readonly outcome: "done" | "not-done" };

async function settle(operation: SettledCall["operation"], providerId: string, key: string, options: SettleOptions) {
  const { outcome, ...reading } = options;
  await onDatabase(async (oneclick) => {
    const name = { operation, providerId, idempotencyKey: key };
    const isSettled = await settleUnknown(oneclick, name, { ...reading, wasDone: outcome === "done" });
    if (!isSettled) process.exitCode = 1;
    return isSettled ? "Settled.\n" : "There is no such call without an answer.\n";
  });
}

const program = new Command("transbank").description("Transbank Oneclick Mall as the service's card processor");
program.command("serve", { isDefault: true }).description("serve the connector protocol and the pages").action(serve);
program
  .command("unknown")
  .description("list calls whose outcome is unknown, and enrolments whose answer was lost")
  .action(() =>
    onDatabase(async ({ db, clock }) => {
      const calls = await listUnanswered(db, clock.now());
      const lost = await listLostEnrolments(db);
      return [...calls, ...lost].map((each) => `${JSON.stringify(each)}\n`).join("");
    }),
  );
program
  .command("settle")
  .description("settle an unknown charge or refund with what Transbank's portal shows; it is final")
  .addArgument(program.createArgument("<operation>", "charge or return").choices(["charge", "return"]))
  .argument("<provider>", "the provider_id of the call")
  .argument("<key>", "the idempotency key of the call")
  .addOption(
    new Option("--outcome <outcome>", "whether the portal shows it")
      .choices(["done", "not-done"])
      .makeOptionMandatory(),
  )
  .option("--authorisation-code <code>", "the code in the portal")
  .requiredOption("--by <name>", "your name")
  .requiredOption("--because <text>", "what the portal shows")
  .action(settle);
for (const [name, store] of [
  ["import-settlements", importSettlements],
  ["import-chargebacks", importChargebacks],
] as const)
  program
    .command(name)
    .description("store a file of Transbank's portal, whole or not at all")
    .argument("<file>", "CSV with a header")
    .option("--columns <json>", 'the file\'s names of our columns, such as {"order":"Orden de compra"}')
    .action((path: string, options: { columns?: string }) => importFile(store, path, options));

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = [SettingsInvalid, FileRefused, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
