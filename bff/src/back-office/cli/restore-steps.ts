import type { Resolution } from "../exceptions/exception-kinds.ts";
import type { CheckedRestore, Finding } from "../restore/check-restore.ts";
import type { Shown } from "./print.ts";

/*
 * The steps after a restore, in words. No printed command dismisses a difference without a change: `--note` needs
 * the operator's own words.
 */

/** What to do while no work is held back. */
export function shownBeginning(): Shown {
  const lines = [
    "No work is held back.",
    "After a restore of the database, stop every process of the service. Then run this with the moment that you restored to:",
    "  aapd restore begin --to",
  ];
  return { json: { held_back: false }, lines };
}

/** The state of an open restore, and one thing to do. `requests` has the first operator's name, by exception. */
export function shownNext(checked: CheckedRestore, requests: ReadonlyMap<string, string>): Shown {
  const { erasures, findings, unavailable, isEnded } = checked;
  const open = openGroups(findings);
  const left = open.reduce((sum, { exceptions }) => sum + exceptions.length, 0);
  const healing = findings.filter(({ advice }) => advice.heals).length;
  const [group] = open;
  const lines = isEnded
    ? ["Work has resumed, in every process. You are done."]
    : [
        `Work is held back. Differences to resolve: ${left}. Others that heal by themselves: ${healing}.`,
        ...(group === undefined ? lastLines(checked) : groupLines(group, requests)),
      ];
  return {
    json: {
      ended: isEnded,
      to_resolve: left,
      unavailable: unavailable.length,
      erasures_refused: erasures.refused.length,
      next: group === undefined ? null : commandOf(group),
    },
    lines,
  };
}

/** Open differences of one kind that are resolved in the same way. */
interface Group {
  readonly first: Finding;
  readonly resolution: Resolution | null;
  readonly exceptions: readonly string[];
}

/** What returns money comes first, and what an operator must decide last. */
const ORDER: readonly (Resolution | null)[] = ["return_charge", "cancel_loan", "handled", null];

function openGroups(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const { difference, advice, exception } = finding;
    if (exception === null) continue;
    // What an operator decides is decided one by one.
    const name = movesMoney(advice.resolution) ? `${difference.kind} ${advice.resolution}` : exception;
    const { exceptions = [], first = finding } = groups.get(name) ?? {};
    groups.set(name, { first, resolution: advice.resolution, exceptions: [...exceptions, exception] });
  }
  const rank = ({ resolution }: Group) => ORDER.indexOf(resolution);
  return [...groups.values()].toSorted((one, other) => rank(one) - rank(other));
}

function movesMoney(resolution: Resolution | null): boolean {
  return resolution !== null && resolution !== "handled";
}

function groupLines(group: Group, requests: ReadonlyMap<string, string>): string[] {
  const { first, exceptions } = group;
  const askedBy = exceptions.map((exception) => requests.get(exception)).find((name) => name !== undefined);
  const together = exceptions.length === 1 ? [] : [`The first of ${exceptions.length} of this kind:`];
  return [
    ...together,
    ...factLines(first),
    ...(askedBy === undefined ? [] : [`  ${askedBy} has requested this. Another operator has to run the same.`]),
    movesMoney(group.resolution) ? "Run:" : "When that is done, run this with what you did as the note:",
    `  ${commandOf(group)}`,
    "Then run:",
    "  aapd restore",
  ];
}

function commandOf({ first: { difference }, resolution, exceptions }: Group): string {
  const [exception = ""] = exceptions;
  return exceptions.length > 1 && resolution !== null
    ? togetherCommand(difference.kind, resolution)
    : commandLine(exception, resolution);
}

function lastLines({ erasures, unavailable }: CheckedRestore): string[] {
  return [...missingLines({ erasures, unavailable }), "When that is done, run:", "  aapd restore"];
}

/** The check in words for the operator. */
export function shownCheck({ erasures, findings, unavailable, isEnded }: CheckedRestore): Shown {
  const open = findings.filter(({ exception }) => exception !== null).length;
  const end = isEnded
    ? "Work has resumed, in every process."
    : `Work is held back: ${open} to resolve, ${unavailable.length} lists and ${erasures.refused.length} erasures missing. Then run this again.`;
  return {
    json: {
      ended: isEnded,
      erased_again: erasures.erased,
      erasures_refused: erasures.refused,
      unavailable: unavailable.map(({ providerId, party }) => ({ provider_id: providerId, party })),
      differences: findings.map(findingJson),
    },
    lines: [
      ...(erasures.erased === 0 ? [] : [`Repeated erasures that patients have requested since: ${erasures.erased}.`]),
      ...findings.flatMap(findingLines),
      ...togetherLines(findings),
      ...missingLines({ erasures, unavailable }),
      end,
    ],
  };
}

/** What the comparison still lacks. */
function missingLines({ erasures, unavailable }: Pick<CheckedRestore, "erasures" | "unavailable">): string[] {
  return [
    ...erasures.refused.map(
      (id) => `The erasure of ${id} is refused until a change of the patient's address is settled.`,
    ),
    ...unavailable.map(({ providerId, party }) => `The list of ${party} is not available for ${providerId}.`),
  ];
}

function findingJson({ providerId, difference, advice, exception }: Finding): object {
  const { kind, party, orderId, reference, expected, found, at } = difference;
  const facts = { kind, party, order_hash: orderId, reference, expected, found, at: at.toISOString() };
  const { heals, text, resolution } = advice;
  return { provider_id: providerId, ...facts, heals, advice: text, resolution, exception };
}

function findingLines(finding: Finding): string[] {
  const { advice, exception } = finding;
  return [...factLines(finding), ...(exception === null ? [] : [`  ${commandLine(exception, advice.resolution)}`])];
}

function factLines({ difference, advice }: Finding): string[] {
  const { kind, orderId, reference, expected, found } = difference;
  const of = orderId === null ? reference : `order ${orderId}`;
  return [
    `${kind}, ${of}: ${expected ?? "nothing"} in the books, ${found ?? "nothing"} on the list`,
    `  ${advice.text}`,
    ...(advice.resolution === null && !advice.heals ? ["  It may be a patient's money, so do that first."] : []),
  ];
}

function commandLine(exception: string, resolution: Resolution | null): string {
  const command = `aapd exceptions resolve ${exception}`;
  return movesMoney(resolution) ? `${command} ${resolution}` : `${command} handled --note`;
}

function togetherCommand(kind: string, resolution: Resolution): string {
  return `aapd exceptions resolve-all difference ${resolution} --fact kind=${kind}`;
}

/** One command for each kind with several exceptions whose money all goes the same way. */
function togetherLines(findings: readonly Finding[]): string[] {
  return openGroups(findings).flatMap(({ first: { difference }, resolution, exceptions }) =>
    exceptions.length > 1 && resolution !== null
      ? [
          `All ${exceptions.length} of ${difference.kind} together:`,
          `  ${togetherCommand(difference.kind, resolution)}`,
        ]
      : [],
  );
}
