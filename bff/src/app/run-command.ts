import type { OperatedService, Terminal } from "../back-office/operator.ts";
import { type CommandMaker, runCommandOf } from "../back-office/run-command.ts";
import { createMetrics } from "../platform/metrics.ts";
import { createTracer } from "../platform/tracing/tracing.ts";
import { readConfig } from "./config.ts";
import { chooseGateways } from "./gateways.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { openKeyring, openStorage } from "./open-storage.ts";

/**
 * Runs one command line of `aapd` on the service that the environment variables configure, and returns the exit code.
 * `more`: commands of this program alone.
 */
export function runCommand(
  terminal: Omit<Terminal, "readService" | "migrate">,
  args: readonly string[],
  more: readonly CommandMaker[] = [],
): Promise<number> {
  const { environment, writeError } = terminal;
  const migrate = () => migrateDatabase({ environment, writeError });
  return runCommandOf({ ...terminal, readService, migrate }, args, more);
}

function readService(environment: NodeJS.ProcessEnv | undefined): OperatedService {
  const config = readConfig(environment);
  return {
    config,
    openStorage: (logger) => openStorage(config, logger),
    openKeyring: () => openKeyring(config),
    chooseGateways(operator) {
      if (config.parties === null) return null;
      const { database, keyring, files, logger } = operator;
      const parts = { config, database, keyring, files, logger, widget: null, sandbox: null };
      return chooseGateways(parts, {
        ...operator,
        takesInsurerAccess: !config.insurerByHand,
        metrics: createMetrics(),
        tracer: createTracer(),
      });
    },
  };
}
