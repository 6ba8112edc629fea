import { Command } from "commander";
import { csvLine } from "../../platform/csv-line.ts";
import { setLenderAccount } from "../../settlement/payout-terms.ts";
import { listPayouts } from "../../settlement/payout-views.ts";
import type { Month } from "../month.ts";
import type { Terminal } from "../operator.ts";
import { payoutView } from "../views/money-view.ts";
import { type AccountOptions, answer, command, readAccount, readMonth } from "./arguments.ts";
import { PAYOUT_COLUMNS } from "./payout-commands.ts";
import { requireProvider } from "./provider-commands.ts";

export function lenderCommands(terminal: Terminal): Command {
  return new Command("lender")
    .description("payouts to the lender of a provider's patients")
    .addCommand(setAccountCommand(terminal))
    .addCommand(remittancesCommand(terminal));
}

function setAccountCommand(terminal: Terminal): Command {
  return command(
    "set-account",
    "where it is paid what was collected for it; the next daily run begins with all that is due",
  )
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--bank <name>")
    .requiredOption("--account-type <type>", "checking, sight or savings")
    .requiredOption("--account-number <digits>")
    .requiredOption("--holder-name <name>")
    .requiredOption("--holder-rut <rut>")
    .action((named: string, options: AccountOptions & { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const bankAccount = readAccount(options);
        await setLenderAccount(operator, { providerId, bankAccount, actor: operator.actor });
        const ending = bankAccount.account_number.slice(-4);
        return {
          json: { provider_id: providerId, account_ending: ending },
          lines: [`Paid into the account ending in ${ending}.`],
        };
      }),
    );
}

function remittancesCommand(terminal: Terminal): Command {
  return command("remittances", "what it was paid in a month, oldest first; `aapd payouts show` says for which orders")
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--month <month>", "such as 2026-11, in Santiago", readMonth)
    .action((named: string, options: { json?: boolean; month: Month }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const { firstDay: from, lastDay: to } = options.month;
        const made = await listPayouts(operator.db, { providerId, from, to, of: "lender" });
        const remittances = made.map(payoutView);
        return { json: { remittances }, lines: [PAYOUT_COLUMNS, ...remittances.map(csvLine)] };
      }),
    );
}
