import { Argument, Command } from "commander";
import { actOnMatter } from "../operations/act-on-matter.ts";
import { MATTER_ACTS, MATTER_KINDS, type Matter, type MatterAct, matterId } from "../operations/matter.ts";
import { MATTERS_LISTED_MAX, needsAPerson } from "../operations/needs-a-person.ts";
import { answer, command } from "./answer.ts";
import type { Terminal } from "./operator.ts";
import type { Shown } from "./print.ts";
import { requireProvider } from "./provider-commands.ts";

/** `aapd matters …` */
export function matterCommands(terminal: Terminal): Command {
  return new Command("matters")
    .description("what needs a person")
    .addCommand(listCommand(terminal))
    .addCommand(actCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  return command("list", "everything that needs a person, oldest first")
    .option("--provider <provider>", "only of this provider: its id, or its RUT")
    .action((options: { json?: boolean; provider?: string }) =>
      answer(terminal, options, async (operator) => {
        const named = options.provider;
        const providerId = named === undefined ? null : (await requireProvider(operator, named)).id;
        return shownMatters(await needsAPerson(operator, providerId));
      }),
    );
}

function actCommand(terminal: Terminal): Command {
  const acts = Object.entries(MATTER_ACTS).map(([act, means]) => `${act}: ${means}`);
  return command("act", "do something about it; every act is written down with your name")
    .argument("<matter>", "its name, as `aapd matters list` shows it")
    .addArgument(new Argument("<act>", acts.join("; ")).choices(Object.keys(MATTER_ACTS)))
    .option("--note <text>", "why, without names or numbers of patients")
    .action((named: string, act: MatterAct, options: { json?: boolean; note?: string }) =>
      answer(terminal, options, async (operator) => {
        const { actor } = operator;
        const { outcome } = await actOnMatter(operator, named, { act, actor, note: options.note ?? null });
        return { json: { matter: named, act, outcome }, lines: [outcome] };
      }),
    );
}

/** A list that is full says so: what is not on it may be there all the same. */
export function shownMatters(matters: readonly Matter[]): Shown {
  const isFull = matters.length >= MATTERS_LISTED_MAX;
  const json = { matters: matters.map(matterJson), ...(isFull ? { only_oldest: MATTERS_LISTED_MAX } : {}) };
  if (matters.length === 0) return { json, lines: ["Nothing needs a person."] };
  const end = `Only the oldest ${MATTERS_LISTED_MAX} are listed; there may be more. --provider shows those of one alone.`;
  return { json, lines: [...matters.flatMap(matterLines), ...(isFull ? ["", end] : [])] };
}

function matterJson(matter: Matter): object {
  const { kind, providerId, subject, orderId, since, facts } = matter;
  return {
    matter: matterId(matter),
    kind,
    provider_id: providerId,
    subject,
    order_hash: orderId,
    since: since.toISOString(),
    facts,
    acts: MATTER_KINDS[kind].acts,
  };
}

function matterLines(matter: Matter): string[] {
  const { kind, orderId, since, facts } = matter;
  const { means, acts } = MATTER_KINDS[kind];
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return [
    matterId(matter),
    `  ${means} Since ${since.toISOString()}${orderId === null ? "" : `, order ${orderId}`}.`,
    ...(known.length === 0 ? [] : [`  ${known.map(([name, value]) => `${name} ${value}`).join(", ")}`]),
    `  ${acts.join(" | ")}`,
  ];
}
