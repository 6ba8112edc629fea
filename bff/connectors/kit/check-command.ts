import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type Command, Option } from "commander";
import * as z from "zod";
import { MINUTE_MS, SECOND_MS } from "../../src/contract/vocabulary/durations.ts";
import { CONNECTOR_ANSWER_BYTES_MAX, CONNECTOR_DEADLINE_MS } from "../../src/gateways/gateway-call.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { isLoopbackAddress } from "../../src/platform/http/network.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { listenForCallbacks } from "./callback-listener.ts";
import { CHECKED_PARTIES, type CheckedParty, checkConnector } from "./check/check-connector.ts";
import { reportJson, reportLines } from "./check/finding.ts";
import { type TestCard, type TestValues, testValuesSchema } from "./check/test-values.ts";
import { createProbe } from "./probe.ts";

export interface CheckOptions {
  json?: boolean;
  environment?: "test";
  party: readonly string[];
  values?: string;
  cardsByHand?: boolean;
  callbackPort?: number;
  callbackWait: number;
  returnWait: number;
}

/** The outputs of a command. */
interface Output {
  write(text: string): void;
  writeError(text: string): void;
}

/** Thrown when a check cannot be made as requested, or found a failure. The message is for the author. */
export class CheckRefused extends Error {
  override readonly name = "CheckRefused";
}

/** Adds the argument and the options of the check, which needs no database and no service. */
export function asCheckCommand(command: Command): Command {
  return command
    .description(
      "whether a connector conforms to the protocol: charges, lends and pays in its test environment; its token is in CONNECTOR_TOKEN; exit code 1 if it does not",
    )
    .option("--json", "print JSON")
    .argument("<url>", "the CONNECTOR_URL to check, such as https://connector.example/connector/v1")
    .addOption(
      new Option("--environment <environment>", "confirm that the connector is in its test environment").choices([
        "test",
      ]),
    )
    .addOption(
      new Option("--party <party>", `check only this party; repeat it for several: ${CHECKED_PARTIES.join(", ")}`)
        .argParser((party: string, before: readonly string[]) => [...before, party])
        .default([], "all but messenger"),
    )
    .option("--values <file>", "JSON file with the test environment's cards, RUTs and accounts; default: the sandbox's")
    .option("--cards-by-hand", "print which test card to enter on the card processor's page, and wait for it")
    .option("--callback-port <port>", "listen on this machine for callbacks about claims", Number)
    .option("--callback-wait <seconds>", "how long to wait for the first callback", Number, 30)
    .option("--return-wait <minutes>", "how long to wait for a pending return to end", Number, 2);
}

/** Checks the connector at `url` and prints the report. Throws `CheckRefused` unless it conforms. */
export async function runCheck(
  output: Output,
  { url, token, options }: { readonly url: string; readonly token: string; readonly options: CheckOptions },
): Promise<void> {
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
    output.writeError(`Checking ${parties.join(", ")} at ${url}: this charges, lends and pays there.\n`);
    const report = await checkConnector(
      {
        probe,
        token,
        values,
        clock,
        ids: systemIds,
        wait: (milliseconds) => wait(milliseconds),
        returnWaitMs: options.returnWait * MINUTE_MS,
        giveCard: options.cardsByHand === true ? async (page, card) => sayCard(output, page, card) : null,
      },
      { url, parties, callbacks, callbackWaitMs: options.callbackWait * SECOND_MS },
    );
    const text = options.json === true ? JSON.stringify(reportJson(report)) : reportLines(report).join("\n");
    // Text of the connector must not move the cursor or overwrite a line.
    output.write(`${text.replaceAll(/[^\P{Cc}\n]/gu, "�")}\n`);
    if (report.verdict !== "conforms") throw new CheckRefused(`${report.failed} checks failed.`);
  } finally {
    await callbacks?.close();
    await probe.close();
  }
}

/** A test card's number belongs to no person, so it may be printed. */
function sayCard(output: Output, page: string, { number, exp_month, exp_year, cvc }: TestCard): void {
  output.writeError(`Enter the card ${number}, ${exp_month}/${exp_year}, ${cvc} at ${page}\n`);
}

/** The protocol cannot distinguish a test environment from a real one, so the operator must confirm it. */
function requireTest(url: string, { environment }: CheckOptions): void {
  if (environment !== "test")
    throw new CheckRefused(
      `This charges cards, lends and pays through ${url}. If no real money moves there, confirm that with --environment test.`,
    );
}

/** The address to check. Throws `CheckRefused` if the token would be sent in the clear. */
export function parseCheckedUrl(url: string): URL {
  if (!URL.canParse(url)) throw new CheckRefused("The connector's address is not a URL.");
  const parsed = new URL(url);
  const { protocol, hostname } = parsed;
  const isOnThisMachine = hostname === "localhost" || isLoopbackAddress(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isOnThisMachine))
    throw new CheckRefused("A connector must use https, or run on this machine.");
  return parsed;
}

function partiesOf({ party }: CheckOptions): readonly CheckedParty[] {
  const unknown = party.filter((name) => !CHECKED_PARTIES.some((known) => known === name));
  if (unknown.length > 0)
    throw new CheckRefused(`Unknown party: ${unknown.join(", ")}. Known: ${CHECKED_PARTIES.join(", ")}.`);
  // The gateway for messages has a separate address.
  if (party.length === 0) return CHECKED_PARTIES.filter((known) => known !== "messenger");
  return CHECKED_PARTIES.filter((known) => party.includes(known));
}

async function readValues(path: string | undefined): Promise<TestValues> {
  if (path === undefined) return testValuesSchema.parse({});
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CheckRefused(`${path} cannot be read.`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CheckRefused(`${path} is not JSON.`, { cause });
  }
  const read = testValuesSchema.safeParse(json);
  if (!read.success) throw new CheckRefused(`${path}:\n${z.prettifyError(read.error)}`);
  return read.data;
}
