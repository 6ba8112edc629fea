import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Command, Option } from "commander";
import * as z from "zod";
import { readConnectorCheckConfig } from "../../src/app/config.ts";
import { collect, command } from "../../src/back-office/cli/arguments.ts";
import { answerText } from "../../src/back-office/cli/print.ts";
import { CommandRefused, type Terminal } from "../../src/back-office/operator.ts";
import { MINUTE_MS, SECOND_MS } from "../../src/contract/vocabulary/durations.ts";
import { CONNECTOR_ANSWER_BYTES_MAX, CONNECTOR_DEADLINE_MS } from "../../src/gateways/connector.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { isLoopbackAddress } from "../../src/platform/http/network.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { listenForCallbacks } from "./callback-listener.ts";
import { CHECKED_PARTIES, type CheckedParty, checkConnector } from "./check/check-connector.ts";
import { reportJson, reportLines } from "./check/finding.ts";
import { connectorDocument } from "./check/protocol-document.ts";
import { type TestCard, type TestValues, testValuesSchema } from "./check/test-values.ts";
import { createProbe } from "./probe.ts";

interface CheckOptions {
  json?: boolean;
  environment?: "test";
  party: readonly string[];
  values?: string;
  cardsByHand?: boolean;
  callbackPort?: number;
  callbackWait: number;
  returnWait: number;
}

/** Needs no database: a connector's author can run it without the service. */
export function connectorCommands(terminal: Terminal): Command {
  return new Command("connector")
    .description("connectors, which link the service to outside parties")
    .addCommand(
      command(
        "check",
        "whether a connector conforms to the protocol: charges, lends and pays in its test environment; its token is in CONNECTOR_TOKEN; exit code 1 if it does not",
      )
        .argument("<url>", "the CONNECTOR_URL to check, such as https://connector.example/connector/v1")
        .addOption(
          new Option("--environment <environment>", "confirm that the connector is in its test environment").choices([
            "test",
          ]),
        )
        .addOption(
          new Option("--party <party>", `check only this party; repeat it for several: ${CHECKED_PARTIES.join(", ")}`)
            .argParser(collect)
            .default([], "all but messenger"),
        )
        .option(
          "--values <file>",
          "JSON file with the test environment's cards, RUTs and accounts; default: the sandbox's",
        )
        .option("--cards-by-hand", "print which test card to enter on the card processor's page, and wait for it")
        .option("--callback-port <port>", "listen on this machine for callbacks about claims", Number)
        .option("--callback-wait <seconds>", "how long to wait for the first callback", Number, 30)
        .option("--return-wait <minutes>", "how long to wait for a pending return to end", Number, 2)
        .action((url: string, options: CheckOptions) => check(terminal, url, options)),
    )
    .addCommand(
      new Command("protocol")
        .description("the connector protocol as an OpenAPI 3.1 document (JSON)")
        .action(() => terminal.write(`${JSON.stringify(connectorDocument(), null, 2)}\n`)),
    );
}

async function check(terminal: Terminal, url: string, options: CheckOptions): Promise<void> {
  const token = tokenOf(terminal, url);
  requireTest(url, options);
  const parties = partiesOf(options);
  const values = await readValues(options.values);
  const probe = createProbe({
    baseUrl: url,
    deadlineMs: CONNECTOR_DEADLINE_MS,
    answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX,
  });
  const clock = systemClock;
  const callbacks =
    options.callbackPort === undefined ? null : await listenForCallbacks(options.callbackPort, { token, clock });
  try {
    terminal.writeError(`Checking ${parties.join(", ")} at ${url}: this charges, lends and pays there.\n`);
    const report = await checkConnector(
      {
        probe,
        token,
        values,
        clock,
        ids: systemIds,
        wait: (milliseconds) => wait(milliseconds),
        returnWaitMs: options.returnWait * MINUTE_MS,
        giveCard: options.cardsByHand === true ? async (page, card) => sayCard(terminal, page, card) : null,
      },
      { url, parties, callbacks, callbackWaitMs: options.callbackWait * SECOND_MS },
    );
    terminal.write(answerText({ json: reportJson(report), lines: reportLines(report) }, options.json === true));
    if (report.verdict !== "conforms") throw new CommandRefused(`${report.failed} checks failed.`);
  } finally {
    await callbacks?.close();
    await probe.close();
  }
}

/** A test card's number belongs to no person, so it may be printed. */
function sayCard(terminal: Terminal, page: string, { number, exp_month, exp_year, cvc }: TestCard): void {
  terminal.writeError(`Enter the card ${number}, ${exp_month}/${exp_year}, ${cvc} at ${page}\n`);
}

/** The protocol cannot distinguish a test environment from a real one, so the operator must confirm it. */
function requireTest(url: string, { environment }: CheckOptions): void {
  if (environment !== "test")
    throw new CommandRefused(
      `This charges cards, lends and pays through ${url}. If no real money moves there, confirm that with --environment test.`,
    );
}

function tokenOf(terminal: Terminal, url: string): string {
  if (!URL.canParse(url)) throw new CommandRefused("The connector's address is not a URL.");
  const { protocol, hostname, origin } = new URL(url);
  const isOnThisMachine = hostname === "localhost" || isLoopbackAddress(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isOnThisMachine))
    throw new CommandRefused("A connector must use https, or run on this machine.");
  const { token, productionUrls } = readConnectorCheckConfig(terminal.environment);
  if (productionUrls.some((production) => new URL(production).origin === origin))
    throw new CommandRefused("This is production's connector. It is not checked, because that would move money.");
  if (token === null) throw new CommandRefused("CONNECTOR_TOKEN: set it to the connector's token.");
  return token;
}

function partiesOf({ party }: CheckOptions): readonly CheckedParty[] {
  const unknown = party.filter((name) => !CHECKED_PARTIES.some((known) => known === name));
  if (unknown.length > 0)
    throw new CommandRefused(`Unknown party: ${unknown.join(", ")}. Known: ${CHECKED_PARTIES.join(", ")}.`);
  // The gateway for messages has a separate address.
  if (party.length === 0) return CHECKED_PARTIES.filter((known) => known !== "messenger");
  return CHECKED_PARTIES.filter((known) => party.includes(known));
}

async function readValues(path: string | undefined): Promise<TestValues> {
  if (path === undefined) return testValuesSchema.parse({});
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandRefused(`${path} cannot be read.`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CommandRefused(`${path} is not JSON.`, { cause });
  }
  const read = testValuesSchema.safeParse(json);
  if (!read.success) throw new CommandRefused(`${path}:\n${z.prettifyError(read.error)}`);
  return read.data;
}
