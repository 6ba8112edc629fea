import { join } from "node:path";
import { Command } from "commander";
import { SECOND_MS } from "../../src/contract/vocabulary/durations.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { runConnector } from "../kit/run-connector.ts";
import { SettingsInvalid } from "../kit/settings.ts";
import { ticks } from "../kit/ticks.ts";
import { createFallbackClient, createWhatsappClient, openWhatsapp } from "./open-whatsapp.ts";
import { readWhatsappSettings } from "./settings.ts";
import { submitTemplates } from "./submit-templates.ts";
import { listTemplates } from "./templates.ts";
import { createWhatsappApi } from "./whatsapp-api.ts";

/* The connector's process and its operator's commands: `pnpm --filter bff whatsapp …`. */

const WORK_EVERY_MS = 30 * SECOND_MS;
const write = (text: string) => process.stdout.write(text);

async function serve(): Promise<void> {
  const settings = readWhatsappSettings(process.env);
  const { party, fallback, phoneNumberId, accountId, webhook } = settings;
  const logger = createLogger({ level: "info" });
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopping.abort());
  const parts = {
    ...{ logger, clock: systemClock, phoneNumberId, accountId, webhook },
    client: createWhatsappClient(party),
    fallbackClient: fallback === null ? null : createFallbackClient(fallback),
  };
  const migrations = join(packageFolder, "connectors/whatsapp/migrations");
  const open = (db: Parameters<typeof openWhatsapp>[0]["db"]) =>
    openWhatsapp({ ...parts, db }, ticks(WORK_EVERY_MS, stopping.signal));
  await runConnector({ settings, migrations, logger, open });
}

async function submit(): Promise<void> {
  const settings = readWhatsappSettings(process.env);
  const client = createWhatsappClient(settings.party);
  try {
    const submitted = await submitTemplates(createWhatsappApi({ client, ...settings }));
    for (const { name, language, status } of submitted) write(`${status}\t${language}\t${name}\n`);
    if (submitted.some(({ status }) => status.startsWith("refused"))) process.exitCode = 1;
  } finally {
    await client.close();
  }
}

const program = new Command("whatsapp").description("WhatsApp as the service's messenger");
program.command("serve", { isDefault: true }).description("serve the connector protocol").action(serve);
program
  .command("templates")
  .description("print all templates, as they are submitted to Meta")
  .action(() => void write(`${JSON.stringify(listTemplates(), null, 2)}\n`));
program
  .command("submit-templates")
  .description("submit the templates that Meta does not have, and print the status of each")
  .action(submit);

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = [SettingsInvalid, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
