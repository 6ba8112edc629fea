import { readFile as readText, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as readStream } from "node:stream/consumers";
import { Command } from "commander";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { FolderInUse } from "../../src/platform/database/folder-lock.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { createKeptCalls } from "../kit/kept-calls.ts";
import { runConnector } from "../kit/run-connector.ts";
import { serveBank } from "../kit/serve/serve-bank.ts";
import { readSettings, SettingsInvalid } from "../kit/settings.ts";
import { type BankFile, createFileBank } from "./bank.ts";
import { FileRefused, readFile, reportFile, type WrittenFile, writeNewFile } from "./files.ts";
import { listOpen } from "./transfer-store.ts";

/* The connector's process and its operator's commands: `pnpm --filter bff bank-file …`. */

const MIGRATIONS = join(packageFolder, "connectors/bank-file/migrations");
const write = (text: string) => process.stdout.write(text);
const logger = createLogger({ level: "info" });
/** Standard output is the commands' own: it may be a file with transfers. */
const commandLogger = createLogger({ level: "warn", destination: process.stderr });

function bankFileOn(db: Database): BankFile {
  return { db, clock: systemClock, calls: createKeptCalls({ db, clock: systemClock, logger }) };
}

async function serve(): Promise<void> {
  await runConnector({
    settings: readSettings({}, process.env),
    migrations: MIGRATIONS,
    logger,
    open: (db) => ({
      serve: (service) => serveBank(service, createFileBank(bankFileOn(db))),
      close: () => Promise.resolve(),
    }),
  });
}

/** Runs a command on the connector's database. An embedded one is open in one process: stop the connector first. */
async function onDatabase(run: (bankFile: BankFile) => Promise<string>): Promise<void> {
  const { CONNECTOR_DATABASE_URL: url } = readSettings({}, process.env);
  const database = await openDatabase({ url, connectionsMax: 2 }, commandLogger);
  try {
    await migrate(database, { clock: systemClock, logger: commandLogger }, MIGRATIONS);
    write(await run(bankFileOn(database.db)));
  } finally {
    await database.close();
  }
}

/** The path that stands for standard input or output, for commands in a container. */
const STANDARD = "-";

/** A file with accounts: for its owner alone. An existing file is not replaced. */
async function store(path: string, file: WrittenFile | null): Promise<string> {
  const sums =
    file === null
      ? "There is nothing to pay.\n"
      : `File ${file.number}: ${file.transfers} transfers, ${file.total} pesos.\n`;
  if (path === STANDARD) process.stderr.write(sums);
  if (file === null || path === STANDARD) return path === STANDARD ? (file?.text ?? "") : sums;
  await writeFile(path, file.text, { mode: 0o600, flag: "wx" }).catch((cause: unknown) => {
    throw new FileRefused(`${path} cannot be written, or exists. Write file ${file.number} again elsewhere.`, {
      cause,
    });
  });
  return sums;
}

const program = new Command("bank-file").description("a bank whose transfers operators make in its portal, from files");
program.command("serve", { isDefault: true }).description("serve the connector protocol").action(serve);
program
  .command("write")
  .description("write the open transfers that are not in a file yet to a new CSV file")
  .argument("<path>", "the file to make; - prints it")
  .requiredOption("--by <name>", "your name")
  .action((path: string, { by }: { by: string }) =>
    onDatabase(async (bankFile) => store(path, await writeNewFile(bankFile, by))),
  );
program
  .command("write-again")
  .description("write an earlier file again without the transfers reported since; do not upload it twice")
  .argument("<number>", "its number")
  .argument("<path>", "the file to make; - prints it")
  .action((number: string, path: string) =>
    onDatabase(async (bankFile) => store(path, await readFile(bankFile, Number(number)))),
  );
program
  .command("report")
  .description("store what the bank did: a CSV file with id, outcome (paid, refused, returned) and reason")
  .argument("<path>", "the file to read; - reads standard input")
  .requiredOption("--by <name>", "your name")
  .action((path: string, { by }: { by: string }) =>
    onDatabase(async (bankFile) => {
      const text = await (path === STANDARD ? readStream(process.stdin) : readText(path, "utf8")).catch(
        (cause: unknown) => {
          throw new FileRefused(`${path} cannot be read.`, { cause });
        },
      );
      const { stored, known } = await reportFile(bankFile, text, by);
      return `Stored ${stored}; ${known} were stored before.\n`;
    }),
  );
program
  .command("open")
  .description("list the transfers that no one has reported, oldest first")
  .action(() =>
    onDatabase(async ({ db }) => {
      const lines = (await listOpen(db)).map(({ id, file, amount, reference, begunAt }) =>
        JSON.stringify({ id, file, amount, reference, begunAt }),
      );
      return lines.map((line) => `${line}\n`).join("");
    }),
  );

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = [SettingsInvalid, FileRefused, FolderInUse].some((known) => error instanceof known);
  if (!isExpected || !(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
