import { runCommand } from "../src/operations/cli/run-command.ts";
import { seedCommand } from "./seed.ts";

/*
 * The operator's command line of staging: everybody's commands, and one that makes the demo's partners.
 */

process.exitCode = await runCommand(
  { write: (text) => process.stdout.write(text), writeError: (text) => process.stderr.write(text) },
  process.argv.slice(2),
  [seedCommand],
);
