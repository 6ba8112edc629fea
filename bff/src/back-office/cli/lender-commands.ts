import { Command } from "commander";
import { csvLine } from "../../platform/csv-line.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { setLenderAccount } from "../../settlement/payout-terms.ts";
import { listPayouts } from "../../settlement/payout-views.ts";
import { listProviders } from "../../tenants/providers.ts";
import type { Month } from "../month.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { exportLoans } from "../views/loans-view.ts";
import { payoutView } from "../views/money-view.ts";
import { type AccountOptions, answer, command, readAccount, readDay, readMonth } from "./arguments.ts";
import { PAYOUT_COLUMNS } from "./payout-commands.ts";
import { requireProvider } from "./provider-commands.ts";

export function lenderCommands(terminal: Terminal): Command {
  return new Command("lender")
    .description("payouts to the lender of a provider's patients")
    .addCommand(setAccountCommand(terminal))
    .addCommand(remittancesCommand(terminal))
    .addCommand(loansCommand(terminal));
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

interface LoansOptions {
  json?: boolean;
  all?: boolean;
  at: CalendarDay;
  endedSince?: CalendarDay;
}

const LOAN_COLUMNS = "debtor_rut,loan,order,granted_on,due_on,lent,outstanding,status,days_overdue,changed_on";

function loansCommand(terminal: Terminal): Command {
  return command(
    "loans",
    "every loan with its debtor at the end of a day, as CSV, for the lender's report of debts (REDEC); each export is audited",
  )
    .argument("[provider]", "the provider's id, or its RUT; omit it with --all")
    .option("--all", "of all clinics")
    .requiredOption("--at <day>", "a day in Santiago, YYYY-MM-DD", readDay)
    .option(
      "--ended-since <day>",
      "also loans that ended from this day on; default: the first day of that month",
      readDay,
    )
    .action((named: string | undefined, { at: day, endedSince = firstOfMonth(day), all, ...options }: LoansOptions) =>
      answer(terminal, options, async (operator) => {
        if ((named === undefined) === (all !== true))
          throw new CommandRefused("Name a provider, or use --all for all clinics together.");
        const { db, environment } = operator;
        const providers =
          named === undefined ? await listProviders(db, environment) : [await requireProvider(operator, named)];
        const loans = await exportLoans(operator, { providers, day, endedSince });
        return { json: { at: day, ended_since: endedSince, loans }, lines: [LOAN_COLUMNS, ...loans.map(csvLine)] };
      }),
    );
}

function firstOfMonth(day: CalendarDay): CalendarDay {
  return `${day.slice(0, 8)}01`;
}
