import { Command } from "commander";
import { balancesOf } from "../../orders/balances.ts";
import type { Month } from "../month.ts";
import type { Terminal } from "../operator.ts";
import { bookedEntries } from "../views/money-view.ts";
import { answer, command, readMonth } from "./arguments.ts";
import { csvLine } from "./print.ts";
import { requireProvider } from "./provider-commands.ts";

export function ledgerCommands(terminal: Terminal): Command {
  return new Command("ledger")
    .description("the ledger of a provider (bff/docs/reference/ledger.md)")
    .addCommand(entriesCommand(terminal))
    .addCommand(balancesCommand(terminal));
}

function entriesCommand(terminal: Terminal): Command {
  return command("entries", "every row of a month, oldest first, as CSV")
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--month <month>", "such as 2026-11, in Santiago", readMonth)
    .action((named: string, options: { json?: boolean; month: Month }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const { from, to } = options.month;
        const entries = await bookedEntries(operator.db, { providerId, from, to });
        return {
          json: { provider_id: providerId, entries },
          lines: ["at,debit,credit,amount,cause,order", ...entries.map(csvLine)],
        };
      }),
    );
}

function balancesCommand(terminal: Terminal): Command {
  return command("balances", "debits less credits of each account, which sum to nothing")
    .argument("<provider>", "the provider's id, or its RUT")
    .action((named: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const balances = await balancesOf(operator.db, providerId);
        return {
          json: { provider_id: providerId, balances },
          lines: ["account,balance", ...balances.map(({ account, balance }) => csvLine({ account, balance }))],
        };
      }),
    );
}
