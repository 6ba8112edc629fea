import { connectorCommands } from "../connectors/kit/connector-commands.ts";
import { runCommand } from "../src/app/run-command.ts";
import { claimKeysCommand } from "./keys/claim-keys.ts";
import { seedCommand } from "./seed.ts";

/* The operator's command line in staging: all commands of the service, and one that creates the demo's partners. */

process.exitCode = await runCommand(
  { write: (text) => process.stdout.write(text), writeError: (text) => process.stderr.write(text) },
  process.argv.slice(2),
  [seedCommand, claimKeysCommand, connectorCommands],
);
