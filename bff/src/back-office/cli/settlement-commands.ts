import { Command } from "commander";
import { csvLine } from "../../platform/csv-line.ts";
import { listSettlements, settlementLines } from "../../settlement/booked-settlements.ts";
import type { Month } from "../month.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { answer, command, readMonth } from "./arguments.ts";
import { requireProvider } from "./provider-commands.ts";

export function settlementCommands(terminal: Terminal): Command {
  return new Command("settlements")
    .description("settlements paid in by the card processor, and the fees it kept")
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  return command("list", "the settlements of a month, oldest first, as CSV")
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--month <month>", "such as 2026-11, in Santiago", readMonth)
    .action((named: string, options: { json?: boolean; month: Month }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const { from, to } = options.month;
        const settlements = (await listSettlements(operator.db, { providerId, from, to })).map(settlementJson);
        return { json: { settlements }, lines: ["settlement,paid_at,amount,fee,fee_vat", ...settlements.map(csvLine)] };
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return command("show", "the charges and returns that a settlement is for, each with its fee")
    .argument("<provider>", "the provider's id, or its RUT")
    .argument("<settlement>", "its id, as `aapd settlements list` shows it")
    .action((named: string, id: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const lines = (await settlementLines(operator.db, { providerId, id })).map(lineJson);
        if (lines.length === 0) throw new CommandRefused("The provider has no such settlement.");
        return {
          json: { settlement: id, lines },
          lines: ["movement,kind,source,order,amount,fee,fee_vat", ...lines.map(csvLine)],
        };
      }),
    );
}

/** In the order of the columns. */
function settlementJson({ id, paidAt, amount, fee, feeVat }: Listed<typeof listSettlements>) {
  return { settlement: id, paid_at: paidAt.toISOString(), amount, fee, fee_vat: feeVat };
}

/** In the order of the columns. */
function lineJson({ id, kind, source, orderId, amount, fee, feeVat }: Listed<typeof settlementLines>) {
  return { movement: id, kind, source, order: orderId, amount, fee, fee_vat: feeVat };
}

type Listed<List extends (...input: never) => Promise<readonly unknown[]>> = Awaited<ReturnType<List>>[number];
