import { Command, InvalidArgumentError } from "commander";
import type { Gateways } from "../../gateways/gateways.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { beginRestore, findOpenRestore } from "../../platform/restore-store.ts";
import type { Resolution } from "../exceptions/exception-kinds.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { type CheckedRestore, checkRestore, type Finding } from "../restore/check-restore.ts";
import { answer, command } from "./arguments.ts";
import type { Shown } from "./print.ts";

/** `aapd restore …`: the steps after a restore of the database. */
export function restoreCommands(terminal: Terminal): Command {
  return new Command("restore")
    .description("hold back all work after a restore, and resume it once the books were compared")
    .addCommand(beginCommand(terminal))
    .addCommand(checkCommand(terminal));
}

function beginCommand(terminal: Terminal): Command {
  return command(
    "begin",
    "hold back timers, deliveries and patients' payments in every process, before the first starts",
  )
    .requiredOption(
      "--to <moment>",
      "the moment whose data the database holds, such as 2026-11-22T14:05:00Z",
      readMoment,
    )
    .action((options: { json?: boolean; to: Date }) =>
      answer(terminal, options, async (operator) => {
        const restoredTo = options.to;
        if (restoredTo > operator.clock.now()) throw new CommandRefused("--to: this moment is in the future.");
        await inTransaction(operator.db, (tx) => begin(tx, operator, restoredTo));
        return {
          json: { held_back: true },
          lines: ["All work is held back. Start the processes, then: aapd restore check"],
        };
      }),
    );
}

async function begin(tx: Transaction, { ids, clock, actor }: Operator, restoredTo: Date): Promise<void> {
  const id = ids.uuid();
  const at = clock.now();
  if (!(await beginRestore(tx, { id, restoredTo, at, by: actor })))
    throw new CommandRefused("Work is already held back. Run `aapd restore check`.");
  const subject = { kind: "restore", id } as const;
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: null,
    actor,
    credentialId: null,
    act: "restore.begun",
    subject,
    at,
  });
}

function checkCommand(terminal: Terminal): Command {
  return command(
    "check",
    "compare the books with every outside party's list, and let work begin if nothing is left to do",
  ).action((options: { json?: boolean }) =>
    answer(terminal, options, async (operator) => {
      const restore = await findOpenRestore(operator.db);
      if (restore === null) throw new CommandRefused("No work is held back. Run `aapd restore begin` first.");
      return withGateways(operator, async (gateways) =>
        shownCheck(await checkRestore({ ...operator, ...gateways }, restore, operator.actor)),
      );
    }),
  );
}

async function withGateways<T>(operator: Operator, use: (gateways: Gateways) => Promise<T>): Promise<T> {
  const gateways = operator.service.chooseGateways(operator);
  if (gateways === null)
    throw new CommandRefused("CONNECTOR_URL: missing; the comparison needs the real parties' addresses.");
  try {
    return await use(gateways);
  } finally {
    await gateways.close?.();
  }
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
      ...erasures.refused.map(
        (id) => `The erasure of ${id} is refused until a change of the patient's address is settled.`,
      ),
      ...findings.flatMap(findingLines),
      ...togetherLines(findings),
      ...unavailable.map(({ providerId, party }) => `The list of ${party} is not available for ${providerId}.`),
      end,
    ],
  };
}

function findingJson({ providerId, difference, advice, exception }: Finding): object {
  const { kind, party, orderId, reference, expected, found, at } = difference;
  const facts = { kind, party, order_hash: orderId, reference, expected, found, at: at.toISOString() };
  const { heals, text, resolution } = advice;
  return { provider_id: providerId, ...facts, heals, advice: text, resolution, exception };
}

function findingLines({ difference, advice, exception }: Finding): string[] {
  const { kind, orderId, reference, expected, found } = difference;
  const of = orderId === null ? reference : `order ${orderId}`;
  return [
    `${kind}, ${of}: ${expected ?? "nothing"} in the books, ${found ?? "nothing"} on the list`,
    `  ${advice.text}`,
    ...(exception === null ? [] : [commandLine(exception, advice.resolution)]),
  ];
}

function commandLine(exception: string, resolution: Resolution | null): string {
  return resolution === null
    ? `  It may be a patient's money, so do that first: ${exception}`
    : `  aapd exceptions resolve ${exception} ${resolution}`;
}

/** One command for each kind with several exceptions that all allow the same resolution. */
function togetherLines(findings: readonly Finding[]): string[] {
  const open = findings.filter(({ exception }) => exception !== null);
  return [...new Set(open.map(({ difference }) => difference.kind))].flatMap((kind) => {
    const [first, ...others] = open.filter(({ difference }) => difference.kind === kind);
    const resolution = first?.advice.resolution ?? null;
    if (resolution === null || others.length === 0) return [];
    if (others.some(({ advice }) => advice.resolution !== resolution)) return [];
    return [
      `All ${others.length + 1} of ${kind} together:`,
      `  aapd exceptions resolve-all difference ${resolution} --fact kind=${kind}`,
    ];
  });
}

function readMoment(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError("It is not a moment with a time zone.");
  return moment;
}
