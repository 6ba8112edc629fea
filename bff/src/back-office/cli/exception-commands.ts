import { Argument, Command, InvalidArgumentError } from "commander";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { exceptionId, type ListedException } from "../exceptions/exception.ts";
import { EXCEPTION_KINDS, type ExceptionKind, RESOLUTIONS, type Resolution } from "../exceptions/exception-kinds.ts";
import { resolveAll } from "../exceptions/resolve-all.ts";
import { resolveException } from "../exceptions/resolve-exception.ts";
import { EXCEPTIONS_LISTED_MAX, listExceptions } from "../list-exceptions.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { exceptionView } from "../views/exception-view.ts";
import { answer, command, readDay } from "./arguments.ts";
import type { Shown } from "./print.ts";
import { requireProvider } from "./provider-commands.ts";

export function exceptionCommands(terminal: Terminal): Command {
  return new Command("exceptions")
    .description("exceptions that an operator must resolve")
    .addCommand(listCommand(terminal))
    .addCommand(resolveCommand(terminal))
    .addCommand(resolveAllCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  return command("list", "every exception, oldest first")
    .option("--provider <provider>", "only of this provider: its id, or its RUT")
    .action((options: { json?: boolean; provider?: string }) =>
      answer(terminal, options, async (operator) => {
        const named = options.provider;
        const providerId = named === undefined ? null : (await requireProvider(operator, named)).id;
        return shownExceptions(await listExceptions(operator, providerId));
      }),
    );
}

const resolutionArgument = () => {
  const resolutions = Object.entries(RESOLUTIONS).map(([resolution, { means }]) => `${resolution}: ${means}`);
  return new Argument("<resolution>", resolutions.join("; ")).choices(Object.keys(RESOLUTIONS));
};

function resolveCommand(terminal: Terminal): Command {
  return command("resolve", "settle one; every resolution is written down with your name")
    .argument("<exception>", "its name, as `aapd exceptions list` shows it")
    .addArgument(resolutionArgument())
    .option("--note <text>", "the reason; no names or numbers of patients")
    .option("--amount <pesos>", "the amount received, for a resolution that books it", readPesos)
    .option("--day <day>", "the day of the isapre's approval, such as 2026-12-03", readDay)
    .action((named: string, resolution: Resolution, options: ResolveOptions) =>
      answer(terminal, options, async (operator) => {
        const { actor } = operator;
        const { note = null, amount, day } = options;
        requireWords(resolution, note);
        const reported = { ...(amount !== undefined && { amount }), ...(day !== undefined && { day }) };
        const request = { resolution, actor, note, ...reported };
        const { outcome } = await resolveException(operator, named, request);
        return { json: { exception: named, resolution, outcome }, lines: [outcome] };
      }),
    );
}

function resolveAllCommand(terminal: Terminal): Command {
  return command("resolve-all", "settle all of one kind, each for itself: one that is refused stops no other")
    .addArgument(new Argument("<kind>", "as `aapd exceptions list` names it").choices(Object.keys(EXCEPTION_KINDS)))
    .addArgument(resolutionArgument())
    .option("--provider <provider>", "only of this provider: its id, or its RUT")
    .option("--fact <name=value>", "only those with this fact, such as kind=charge_not_booked", readFact)
    .option("--note <text>", "the reason; no names or numbers of patients")
    .action((kind: ExceptionKind, resolution: Resolution, options: ResolveAllOptions) =>
      answer(terminal, options, async (operator) => {
        const { provider: named, fact = null, note = null } = options;
        requireWords(resolution, note);
        const providerId = named === undefined ? null : (await requireProvider(operator, named)).id;
        const request = { resolution, actor: operator.actor, note };
        return shownResolved(await resolveAll(operator, { kind, providerId, fact }, request));
      }),
    );
}

/** Nothing is dismissed by a pasted command. */
function requireWords(resolution: Resolution, note: string | null): void {
  if (resolution === "handled" && !/\p{L}{2}/u.test(note ?? ""))
    throw new CommandRefused("--note: say what you did. A dismissed exception keeps its money where it is.");
}

interface ResolveAllOptions {
  json?: boolean;
  provider?: string;
  fact?: { readonly name: string; readonly value: string };
  note?: string;
}

function readFact(text: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^([a-z_]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It must be name=value.");
  return { name, value };
}

function shownResolved({ resolved, mayBeMore }: Awaited<ReturnType<typeof resolveAll>>): Shown {
  const done = resolved.filter(({ isDone }) => isDone).length;
  const rest = mayBeMore ? " There may be more: run it again." : "";
  return {
    json: { done, not_done: resolved.length - done, exceptions: resolved },
    lines: [
      ...resolved.map(({ exception, outcome }) => `${exception}: ${outcome}`),
      `${done} settled, ${resolved.length - done} not.${rest}`,
    ],
  };
}

interface ResolveOptions {
  json?: boolean;
  note?: string;
  amount?: Clp;
  day?: CalendarDay;
}

/** Whole pesos, as a number or with the dots of a Chilean amount. */
function readPesos(text: string): Clp {
  const isAmount = /^(?:\d{1,9}|\d{1,3}(?:\.\d{3}){1,2})$/.test(text);
  if (!isAmount) throw new InvalidArgumentError("It must be whole pesos, such as 53110 or 53.110.");
  return clp(Number(text.replaceAll(".", "")));
}

/** A full list warns that it may be incomplete. */
export function shownExceptions(exceptions: readonly ListedException[]): Shown {
  const isFull = exceptions.length >= EXCEPTIONS_LISTED_MAX;
  const json = { exceptions: exceptions.map(exceptionView), ...(isFull ? { only_oldest: EXCEPTIONS_LISTED_MAX } : {}) };
  if (exceptions.length === 0) return { json, lines: ["There are no exceptions."] };
  const end = `Only the oldest ${EXCEPTIONS_LISTED_MAX} are listed; there may be more. Use --provider to list those of one provider.`;
  return { json, lines: [...exceptions.flatMap(exceptionLines), ...(isFull ? ["", end] : [])] };
}

function exceptionLines(exception: ListedException): string[] {
  const { kind, orderId, since, facts } = exception;
  const { means, resolutions } = EXCEPTION_KINDS[kind];
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return [
    exceptionId(exception),
    `  ${means} Since ${since.toISOString()}${orderId === null ? "" : `, order ${orderId}`}.`,
    ...(known.length === 0 ? [] : [`  ${known.map(([name, value]) => `${name} ${value}`).join(", ")}`]),
    `  ${resolutions.join(" | ")}`,
  ];
}
