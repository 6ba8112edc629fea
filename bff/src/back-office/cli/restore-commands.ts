import { Command } from "commander";
import type { Gateways } from "../../gateways/gateways.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { beginRestore, findOpenRestore } from "../../platform/restore-store.ts";
import { type ListedException, readExceptionId } from "../exceptions/exception.ts";
import { requestedResolution } from "../exceptions/resolve-exception.ts";
import { findException } from "../list-exceptions.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { type CheckedRestore, checkRestore } from "../restore/check-restore.ts";
import { answer, command, readMoment } from "./arguments.ts";
import { shownBeginning, shownCheck, shownNext } from "./restore-steps.ts";

/** `aapd restore …`: the steps after a restore of the database. */
export function restoreCommands(terminal: Terminal): Command {
  return new Command("restore")
    .description("hold back all work after a restore, and resume it once the books were compared")
    .addCommand(nextCommand(terminal), { isDefault: true })
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
          lines: ["All work is held back. Start the processes. Then run:", "  aapd restore"],
        };
      }),
    );
}

async function begin(tx: Transaction, { ids, clock, actor }: Operator, restoredTo: Date): Promise<void> {
  const id = ids.uuid();
  const at = clock.now();
  if (!(await beginRestore(tx, { id, restoredTo, at, by: actor })))
    throw new CommandRefused("Work is already held back. Run `aapd restore`.");
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

function nextCommand(terminal: Terminal): Command {
  return command("next", "say where a restore stands, and the one command to run next").action(
    (options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const restore = await findOpenRestore(operator.db);
        if (restore === null) return shownBeginning();
        return withGateways(operator, async (gateways) => {
          const checked = await checkRestore({ ...operator, ...gateways }, restore, operator.actor);
          return shownNext(checked, await requestsOf(operator, checked));
        });
      }),
  );
}

/** The open requests for the listed exceptions, which wait for another operator. */
async function requestsOf(operator: Operator, { findings }: CheckedRestore): Promise<ReadonlyMap<string, string>> {
  const requests = new Map<string, string>();
  for (const { exception } of findings) {
    const listed = exception === null ? null : await findListed(operator, exception);
    const request = listed && (await requestedResolution(operator.db, listed, operator.clock.now()));
    if (exception !== null && request) requests.set(exception, request.askedBy);
  }
  return requests;
}

function findListed(operator: Operator, exception: string): Promise<ListedException | null> {
  const name = readExceptionId(exception);
  return name === null ? Promise.resolve(null) : findException(operator, name);
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
