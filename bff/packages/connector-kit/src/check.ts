#!/usr/bin/env node
import { Command } from "commander";
import {
  asCheckCommand,
  type CheckOptions,
  CheckRefused,
  parseCheckedUrl,
  runCheck,
} from "../../../connectors/kit/check-command.ts";

/* `aapd-connector-check`: `aapd connector check` without the service. */

const output = {
  write: (text: string) => process.stdout.write(text),
  writeError: (text: string) => process.stderr.write(text),
};

async function check(url: string, options: CheckOptions): Promise<void> {
  parseCheckedUrl(url);
  const token = process.env.CONNECTOR_TOKEN ?? "";
  if (token === "") throw new CheckRefused("CONNECTOR_TOKEN: set it to the connector's token.");
  await runCheck(output, { url, token, options });
}

try {
  await asCheckCommand(new Command("aapd-connector-check")).action(check).parseAsync();
} catch (error) {
  if (!(error instanceof CheckRefused)) throw error;
  output.writeError(`${error.message}\n`);
  process.exitCode = 1;
}
