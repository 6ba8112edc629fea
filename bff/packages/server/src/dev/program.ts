import { setTimeout as pause } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import {
  apiOption,
  collect,
  command,
  type Json,
  readCount,
  readUrl,
  requireKeys,
  type Surroundings,
  signatureWordOption,
} from "./command-parts.ts";
import { reportLines } from "./doctor/finding.ts";
import { examineFolder } from "./examine-folder.ts";
import { forwardEvent, readEvents, type Verdict, verdictLine } from "./forward-events.ts";
import { getKeys } from "./get-keys.ts";
import { readKeys, type SandboxKeys, variablesOf, writeKeys } from "./keys.ts";
import { newCommand } from "./new-command.ts";
import { newRut } from "./new-rut.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { claimCommand, faultCommand, mailCommand, receiptCommand, refundCommand } from "./order-commands.ts";
import { CommandRefused, type Output, say } from "./output.ts";
import { clientOf, openOrder } from "./play-scenario.ts";
import { chooseRequests, readRequests, requestLine } from "./requests.ts";
import { moveClock, parseAdvance, readClock } from "./sandbox-clock.ts";
import { triggerCommand } from "./trigger-command.ts";

const POLL_MS = 1_000;
/** A local receiver that restarts at each change is back within a moment. */
const FURTHER_TRIES_MS = [1_000, 2_000, 4_000];

/** `aapd-dev`: the sandbox from a partner's terminal. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command("aapd-dev")
    .description("The sandbox from your terminal. Begin with: aapd-dev sandbox")
    .showHelpAfterError()
    .configureOutput({ writeOut: surroundings.write, writeErr: surroundings.writeError })
    .exitOverride();
  program.addCommand(newCommand(surroundings));
  program.addCommand(sandboxCommand(surroundings));
  program.addCommand(envCommand(surroundings));
  program.addCommand(listenCommand(surroundings));
  program.addCommand(triggerCommand(surroundings));
  program.addCommand(receiptCommand(surroundings));
  program.addCommand(refundCommand(surroundings));
  program.addCommand(claimCommand(surroundings));
  program.addCommand(mailCommand(surroundings));
  program.addCommand(faultCommand(surroundings));
  program.addCommand(resendCommand(surroundings));
  program.addCommand(clockCommand(surroundings));
  program.addCommand(openCommand(surroundings));
  program.addCommand(logsCommand(surroundings));
  program.addCommand(doctorCommand(surroundings));
  program.addCommand(mcpCommand(surroundings));
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

function sandboxCommand({ folder, ...output }: Surroundings): Command {
  return command("sandbox", "get keys of the sandbox, without an account", "sandbox --origin http://127.0.0.1:3000")
    .addOption(apiOption())
    .option("--name <name>", "your name as patients see it")
    .option("--origin <origin>", "a page of yours that may frame the checkout; may be repeated", collect, [])
    .option("--meta", "get the keys of a meta-provider, whose orders name a centre")
    .option("--new", "get new keys even if there are some")
    .action(async (options: Json & SandboxOptions) => {
      const { api, name, origin: origins, meta } = options;
      const kept = options.new === true ? null : await readKeys(folder);
      const keys = kept ?? (await getKeys(api, { name, origins, meta }));
      const file = await writeKeys(folder, keys);
      const { provider, ends_at } = keys;
      say(
        output,
        {
          json: { ...keys, file },
          lines: [
            kept === null ? `You are ${provider.name}.` : `You are ${provider.name} already (--new for another).`,
            `The keys are in ${file}, and live until ${ends_at}. For your program: eval "$(npx aapd-dev env)"`,
            `Next: npx aapd-dev listen --forward-to ${origins[0] ?? "http://127.0.0.1:3000"}/webhooks`,
          ],
        },
        options.json === true,
      );
    });
}

interface SandboxOptions {
  api: string;
  name?: string;
  origin: string[];
  meta?: boolean;
  new?: boolean;
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
    .option("--only <kinds>", "forward only these kinds, such as order.paid,order.refunded", readKinds)
    .option("--events <count>", "end after so many events", readCount)
    .addOption(signatureWordOption())
    .action(async (options: Json & ListenOptions) => {
      const keys = await requireKeys(folder);
      const refused = await listen(keys, options, { ...output, signal });
      if (refused > 0) throw new CommandRefused(`${refused} not accepted`);
    });
}

interface ListenOptions {
  forwardTo: string;
  fromStart?: boolean;
  only?: readonly string[];
  events?: number;
  signatureWord: string;
}

/** Forwards until it is stopped, or this many events are delivered. Returns how many were not accepted. */
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
      if (options.only !== undefined && !options.only.includes(event.event)) continue;
      const verdict = await forwardEvent(event, {
        forwardTo: options.forwardTo,
        secret: keys.credentials.webhook_secret,
        word: options.signatureWord,
        waits: FURTHER_TRIES_MS,
        wait: (ms) => pause(ms, undefined, { signal }).catch(() => undefined),
        isStopped: () => signal.aborted,
      });
      verdicts.push(verdict);
      say(output, { json: verdict, lines: [verdictLine(verdict)] }, options.json === true);
    }
    if (!isDone()) await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return verdicts.filter(({ accepted }) => !accepted).length;
}

function resendCommand({ folder, signal, ...output }: Surroundings): Command {
  return command(
    "resend",
    "send an event to this machine again",
    "resend EVENT_ID --forward-to http://127.0.0.1:3000/webhooks",
  )
    .argument("<event-id>", "the event_id, as listen and your receiver's log show it")
    .requiredOption("--forward-to <url>", "your receiver", readUrl)
    .addOption(signatureWordOption())
    .action(async (id: string, { forwardTo, signatureWord: word, json }: Json & ListenOptions) => {
      const keys = await requireKeys(folder);
      const event = (await readEvents(keys, null)).events.find(({ event_id }) => event_id === id);
      if (event === undefined)
        throw new CommandRefused(
          `There is no event ${id}. To list the ids: npx aapd-dev listen --forward-to ${forwardTo} --from-start`,
        );
      const verdict = await forwardEvent(event, {
        forwardTo,
        secret: keys.credentials.webhook_secret,
        word,
        waits: [],
        wait: () => Promise.resolve(),
        isStopped: () => signal.aborted,
      });
      say(output, { json: verdict, lines: [verdictLine(verdict)] }, json === true);
      if (!verdict.accepted) throw new CommandRefused("not accepted");
    });
}

function readKinds(text: string): string[] {
  const kinds = text.split(",").map((kind) => kind.trim());
  if (kinds.every((kind) => /^[a-z]+\.[a-z_]+$/.test(kind))) return kinds;
  throw new InvalidArgumentError("It must be kinds of events, such as order.paid,order.refunded.");
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
    .option("--route <text>", "list only calls whose route contains it, such as /orders")
    .option("--status <status>", "list only this status, such as 422 or 4xx", readStatus)
    .option("--all", "include what aapd-dev itself reads: events, clock and logs")
    .action(async (options: Json & { refused?: boolean; route?: string; status?: string; all?: boolean }) => {
      const requests = chooseRequests(await readRequests(await requireKeys(folder)), options);
      const lines = requests.length === 0 ? ["No calls of this kind yet."] : requests.map(requestLine);
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
    .addOption(signatureWordOption())
    .option("--click <selector>", "the element of the page that opens the checkout")
    .action(async (options: Json & { page?: string; webhook?: string; signatureWord: string; click?: string }) => {
      const report = await examineFolder(folder, options);
      say(output, { json: report, lines: reportLines(report) }, options.json === true);
      const mistakes = report.findings.filter(({ verdict }) => verdict === "mistake").length;
      if (mistakes > 0) throw new CommandRefused(`${mistakes} to fix`);
    });
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
      await serve.serveMcp({ keys: () => requireKeys(folder), folder, signal });
    });
}

function readStatus(text: string): string {
  if (/^[1-5](?:\d\d|xx)$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a status such as 422 or 4xx.");
}

function readAdvance(text: string): string {
  const advance = parseAdvance(text);
  if (advance !== null) return advance;
  throw new InvalidArgumentError("It must be a duration such as +45d or +1d12h.");
}
