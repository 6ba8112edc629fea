import { setTimeout as pause } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { examine } from "./doctor/doctor.ts";
import { type Report, reportLines, reportOf } from "./doctor/finding.ts";
import { keysToExamine } from "./doctor/variables.ts";
import { findBrowser } from "./find-browser.ts";
import { forwardEvent, readEvents, type Verdict } from "./forward-events.ts";
import { getKeys } from "./get-keys.ts";
import { keysOfVariables, readKeys, type SandboxKeys, variablesOf, writeKeys } from "./keys.ts";
import { newRut } from "./new-rut.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { CommandRefused, type Output, say } from "./output.ts";
import { clientOf, openOrder, playScenario } from "./play-scenario.ts";
import { readRequests, requestLine } from "./requests.ts";
import { moveClock, readClock } from "./sandbox-clock.ts";
import { findScenario, SCENARIOS } from "./scenarios.ts";

/** The environment of the commands. */
export interface Surroundings extends Output {
  /** The folder in which the command was typed. */
  readonly folder: string;
  /** Ends `listen`. */
  readonly signal: AbortSignal;
}

const DEFAULT_ORDER_API = "http://127.0.0.1:4010";
const POLL_MS = 1_000;
/** A local receiver that restarts at each change is back after a moment. */
const FURTHER_TRIES_MS = [1_000, 2_000, 4_000];

const NO_KEYS = "There are no keys in this folder. Get some: aapd-dev sandbox";

interface Json {
  json?: boolean;
}

/** `aapd-dev`: the sandbox from a partner's terminal. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command("aapd-dev")
    .description("The sandbox from your terminal. Begin with: aapd-dev sandbox")
    .showHelpAfterError()
    .configureOutput({ writeOut: surroundings.write, writeErr: surroundings.writeError })
    .exitOverride();
  program.addCommand(sandboxCommand(surroundings));
  program.addCommand(envCommand(surroundings));
  program.addCommand(listenCommand(surroundings));
  program.addCommand(triggerCommand(surroundings));
  program.addCommand(clockCommand(surroundings));
  program.addCommand(openCommand(surroundings));
  program.addCommand(logsCommand(surroundings));
  program.addCommand(doctorCommand(surroundings));
  program.addCommand(mcpCommand(surroundings));
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

function command(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print JSON for programs")
    .addHelpText("after", `\nExample:\n  $ aapd-dev ${example}`);
}

function sandboxCommand({ folder, ...output }: Surroundings): Command {
  return command("sandbox", "get keys of the sandbox, without an account", "sandbox --origin http://127.0.0.1:3000")
    .option("--api <url>", "the order API of staging", readUrl, process.env.ORDER_API ?? DEFAULT_ORDER_API)
    .option("--name <name>", "your name as patients see it")
    .option("--origin <origin>", "a page of yours that may frame the checkout; may be repeated", collect, [])
    .option("--new", "get new keys even if there are some")
    .action(async (options: Json & { api: string; name?: string; origin: string[]; new?: boolean }) => {
      const kept = options.new === true ? null : await readKeys(folder);
      const keys = kept ?? (await getKeys(options.api, { name: options.name, origins: options.origin }));
      const file = await writeKeys(folder, keys);
      const { provider, ends_at } = keys;
      say(
        output,
        {
          json: { ...keys, file },
          lines: [
            kept === null ? `You are ${provider.name}.` : `You are ${provider.name} already (--new for another).`,
            `The keys are in ${file}, and live until ${ends_at}. For your program: eval "$(npx aapd-dev env)"`,
            "Next: aapd-dev listen --forward-to http://127.0.0.1:3000/webhooks, and aapd-dev trigger paid",
          ],
        },
        options.json === true,
      );
    });
}

function envCommand({ folder, ...output }: Surroundings): Command {
  return command("env", "print the variables that the guide's code reads", "env")
    .option("--dotenv", "as lines of an .env file, without export")
    .action(async (options: Json & { dotenv?: boolean }) => {
      const variables = variablesOf(await requireKeys(folder));
      const before = options.dotenv === true ? "" : "export ";
      const lines = Object.entries(variables).map(([name, value]) => `${before}${name}=${value}`);
      say(output, { json: variables, lines }, options.json === true);
    });
}

function listenCommand({ folder, signal, ...output }: Surroundings): Command {
  return command(
    "listen",
    "forward your webhooks to this machine, each with what became of it",
    "listen --forward-to http://127.0.0.1:3000/webhooks",
  )
    .requiredOption("--forward-to <url>", "your receiver", readUrl)
    .option("--from-start", "include events from before the start")
    .option("--events <count>", "end after so many events", readCount)
    .addOption(
      new Option("--signature-word <word>", "the word in X-Service-Signature, if it is a different one").default(
        "Service",
      ),
    )
    .action(async (options: Json & ListenOptions) => {
      const keys = await requireKeys(folder);
      const refused = await listen(keys, options, { ...output, signal });
      if (refused > 0) throw new CommandRefused(`${refused} not accepted`);
    });
}

interface ListenOptions {
  forwardTo: string;
  fromStart?: boolean;
  events?: number;
  signatureWord: string;
}

/** Forwards until it is stopped, or so many events are delivered. Returns how many were not accepted. */
async function listen(
  keys: SandboxKeys,
  options: Json & ListenOptions,
  { signal, ...output }: Output & { readonly signal: AbortSignal },
): Promise<number> {
  let after = options.fromStart === true ? null : (await readEvents(keys, null)).after;
  if (options.json !== true) output.write(`Listening. Events go to ${options.forwardTo}.\n`);
  const verdicts: Verdict[] = [];
  const isDone = () => signal.aborted || verdicts.length >= (options.events ?? Number.POSITIVE_INFINITY);
  while (!isDone()) {
    const read = await readEvents(keys, after);
    after = read.after;
    for (const event of read.events) {
      if (isDone()) break;
      const verdict = await forwardEvent(event, {
        forwardTo: options.forwardTo,
        secret: keys.credentials.webhook_secret,
        word: options.signatureWord,
        waits: FURTHER_TRIES_MS,
        wait: (ms) => pause(ms, undefined, { signal }),
      });
      verdicts.push(verdict);
      say(output, { json: verdict, lines: [lineOf(verdict)] }, options.json === true);
    }
    if (!isDone()) await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return verdicts.filter(({ accepted }) => !accepted).length;
}

function lineOf({ event, reference, status, accepted, words, tries }: Verdict): string {
  const again = tries === 1 ? "" : `, after ${tries} tries`;
  return `${accepted ? "✓" : "✗"} ${event} ${reference} → ${status ?? "no answer"}: ${words}${again}`;
}

function triggerCommand({ folder, ...output }: Surroundings): Command {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  const list = SCENARIOS.map(({ name, ends }) => `  ${name.padEnd(width)}  ${ends}`).join("\n");
  return command("trigger", "play an order's life: a patient who pays, and what comes after", "trigger approved")
    .argument("<scenario>", "one of those listed below")
    .addHelpText("after", `\nScenarios:\n${list}`)
    .action(async (name: string, options: Json) => {
      const scenario = findScenario(name);
      if (scenario === null)
        throw new CommandRefused(`Unknown scenario "${name}". Known: ${SCENARIOS.map((one) => one.name).join(", ")}.`);
      const { order, refusal } = await playScenario(await requireKeys(folder), scenario);
      const { hash, reference, status, collection } = order;
      const refused = refusal === null ? [] : [`The patient was told: ${refusal}.`];
      const lines = [
        scenario.ends,
        ...refused,
        `Order ${reference} (${hash}): ${status}${collection === null || collection === undefined ? "" : `, second instalment ${collection.status}`}.`,
      ];
      say(output, { json: { scenario: name, refusal, order }, lines }, options.json === true);
    });
}

function clockCommand({ folder, ...output }: Surroundings): Command {
  return command("clock", "read your sandbox's time, or move it forward and do all that falls due", "clock +45d")
    .argument("[advance]", "+45d, +12h, +30m, +10s, or several joined, such as +1d12h", readAdvance)
    .action(async (advance: string | undefined, options: Json) => {
      const keys = await requireKeys(folder);
      const clock = advance === undefined ? await readClock(keys) : await moveClock(keys, advance);
      say(
        output,
        { json: clock, lines: [`It is ${clock.now} there, ${Math.round(clock.ahead_seconds / 3_600)} hours ahead.`] },
        options.json === true,
      );
    });
}

function openCommand({ folder, ...output }: Surroundings): Command {
  return command("open", "open a checkout of a new order in your browser", "open --amount 45952")
    .option("--amount <pesos>", "the total of the bill", readCount)
    .option("--rut <rut>", "the patient's RUT; default: a new one")
    .option("--print", "print only its address")
    .action(async (options: Json & { amount?: number; rut?: string; print?: boolean }) => {
      const opened = await openOrder(clientOf(await requireKeys(folder)), options.rut ?? newRut(), options.amount);
      const { hash, url } = opened;
      say(output, { json: { hash, url }, lines: [url] }, options.json === true);
      if (options.print !== true && options.json !== true) openInBrowser(url);
    });
}

function logsCommand({ folder, ...output }: Surroundings): Command {
  return command("logs", "your latest calls, each with its request id, status and why it was refused", "logs --refused")
    .option("--refused", "list only refused calls")
    .action(async (options: Json & { refused?: boolean }) => {
      const all = await readRequests(await requireKeys(folder));
      const requests = options.refused === true ? all.filter(({ status }) => status >= 400) : all;
      const lines = requests.length === 0 ? ["No calls yet."] : requests.map(requestLine);
      say(output, { json: requests, lines }, options.json === true);
    });
}

function doctorCommand({ folder, ...output }: Surroundings): Command {
  return command(
    "doctor",
    "examine your page, your webhook receiver and your orders; ends with 1 where it finds a mistake",
    "doctor --page http://127.0.0.1:3000/pay --webhook http://127.0.0.1:3000/webhooks",
  )
    .option("--page <url>", "a page with the checkout on it", readUrl)
    .option("--webhook <url>", "your receiver", readUrl)
    .addOption(
      new Option("--signature-word <word>", "the word in X-Service-Signature, if it is a different one").default(
        "Service",
      ),
    )
    .option("--click <selector>", "the element of the page that opens the checkout")
    .action(async (options: Json & { page?: string; webhook?: string; signatureWord: string; click?: string }) => {
      const report = await examineFolder(folder, options);
      say(output, { json: report, lines: reportLines(report) }, options.json === true);
      const mistakes = report.findings.filter(({ verdict }) => verdict === "mistake").length;
      if (mistakes > 0) throw new CommandRefused(`${mistakes} to fix`);
    });
}

/** Examines what the partner's program uses, in a browser if the folder's project has one. */
async function examineFolder(
  folder: string,
  {
    page,
    webhook,
    signatureWord: word,
    click,
  }: { page?: string; webhook?: string; signatureWord: string; click?: string },
): Promise<Report> {
  const examined = keysToExamine(await readKeys(folder), process.env);
  if (examined === null) throw new CommandRefused(NO_KEYS);
  const { keys, findings } = examined;
  if (findings.length > 0) return reportOf(findings);
  const browser = page === undefined ? null : await findBrowser(folder, process.env.CHROMIUM_PATH);
  try {
    return await examine(keys, { page, webhook, word, click, ...(browser === null ? {} : { browser }) });
  } finally {
    await browser?.close();
  }
}

function mcpCommand({ folder, signal }: Surroundings): Command {
  return new Command("mcp")
    .description("serve the sandbox to an assistant by the Model Context Protocol, over standard input and output")
    .addHelpText("after", "\nIt needs: npm install --save-dev @modelcontextprotocol/sdk")
    .action(async () => {
      const serve = await import("./serve-mcp.ts").catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
          throw new CommandRefused("It needs a package: npm install --save-dev @modelcontextprotocol/sdk");
        throw error;
      });
      await serve.serveMcp(() => requireKeys(folder), signal);
    });
}

/** The folder's keys or, as in a partner's continuous integration, those in the variables of `aapd-dev env`. */
async function requireKeys(folder: string): Promise<SandboxKeys> {
  const keys = (await readKeys(folder)) ?? keysOfVariables(process.env);
  if (keys === null) throw new CommandRefused(NO_KEYS);
  return keys;
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be an address such as http://127.0.0.1:3000/webhooks.");
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

function readAdvance(text: string): string {
  const advance = text.replace(/^\+/, "");
  if (/^(?:\d{1,9}[smhd]){1,4}$/.test(advance)) return advance;
  throw new InvalidArgumentError("It must be a duration such as +45d or +1d12h.");
}
