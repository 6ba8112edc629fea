import { runCommand } from "./app/run-command.ts";

/*
 * The operator's command line. It uses the same configuration and the same operations as the server.
 */

process.exitCode = await runCommand(
  { write: (text) => process.stdout.write(text), writeError: (text) => process.stderr.write(text) },
  process.argv.slice(2),
);
