import { command } from "../back-office/cli/answer.ts";
import { CommandRefused, type OperatedService, type Terminal } from "../back-office/cli/operator.ts";
import { answerText } from "../back-office/cli/print.ts";
import { type CommandMaker, runCommandOf } from "../back-office/cli/run-command.ts";
import { createMetrics } from "../platform/metrics.ts";
import { createTracer } from "../platform/tracing/tracing.ts";
import { ConfigInvalid, readConfig } from "./config.ts";
import { chooseGateways } from "./gateways.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { openKeyring, openStorage } from "./open-storage.ts";

/**
 * Runs one command line of `aapd` on the service that the environment variables configure, and returns the exit code.
 * `more`: commands of this program alone.
 */
export function runCommand(
  terminal: Omit<Terminal, "readService">,
  args: readonly string[],
  more: readonly CommandMaker[] = [],
): Promise<number> {
  return runCommandOf({ ...terminal, readService }, args, [migrateCommand, ...more]);
}

function readService(environment: NodeJS.ProcessEnv | undefined): OperatedService {
  const config = explained(() => readConfig(environment));
  return {
    config,
    openStorage: (logger) => openStorage(config, logger),
    openKeyring: () => openKeyring(config),
    chooseGateways(operator) {
      if (config.parties === null) return null;
      const { database, keyring, files, logger } = operator;
      const parts = { config, database, keyring, files, logger, widget: null, sandbox: null };
      return chooseGateways(parts, { ...operator, metrics: createMetrics(), tracer: createTracer() });
    },
  };
}

function migrateCommand({ environment, write, writeError }: Terminal) {
  return command("migrate", "bring the database to this version's newest migration").action(
    async ({ json }: { json?: boolean }) => {
      await explained(() => migrateDatabase({ environment, writeError }));
      const lines = ["The database has every migration of this version."];
      write(answerText({ json: { migrated: true }, lines }, json === true));
    },
  );
}

/** Which variable is wrong is an answer for the operator, without a stack. */
function explained<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigInvalid) throw new CommandRefused(error.message, { cause: error });
    throw error;
  }
}
