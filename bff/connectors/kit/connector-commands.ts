import { Command } from "commander";
import { readConnectorCheckConfig } from "../../src/app/config.ts";
import { CommandRefused, type Terminal } from "../../src/back-office/operator.ts";
import { connectorDocument } from "./check/protocol-document.ts";
import { asCheckCommand, type CheckOptions, CheckRefused, parseCheckedUrl, runCheck } from "./check-command.ts";

/** Needs no database: a connector's author can run it without the service. */
export function connectorCommands(terminal: Terminal): Command {
  return new Command("connector")
    .description("connectors, which link the service to outside parties")
    .addCommand(
      asCheckCommand(new Command("check")).action((url: string, options: CheckOptions) =>
        check(terminal, url, options),
      ),
    )
    .addCommand(
      new Command("protocol")
        .description("the connector protocol as an OpenAPI 3.1 document (JSON)")
        .action(() => terminal.write(`${JSON.stringify(connectorDocument(), null, 2)}\n`)),
    );
}

async function check(terminal: Terminal, url: string, options: CheckOptions): Promise<void> {
  try {
    await runCheck(terminal, { url, token: tokenOf(terminal, url), options });
  } catch (error) {
    throw error instanceof CheckRefused ? new CommandRefused(error.message, { cause: error }) : error;
  }
}

function tokenOf(terminal: Terminal, url: string): string {
  const { origin } = parseCheckedUrl(url);
  const { token, productionUrls } = readConnectorCheckConfig(terminal.environment);
  if (productionUrls.some((production) => new URL(production).origin === origin))
    throw new CommandRefused("This is production's connector. It is not checked, because that would move money.");
  if (token === null) throw new CommandRefused("CONNECTOR_TOKEN: set it to the connector's token.");
  return token;
}
