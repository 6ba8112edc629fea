import { Command } from "commander";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";
import { balancesOf } from "../../orders/book-reads.ts";
import { csvLine } from "../../platform/csv-line.ts";
import type { Provider } from "../../platform/provider.ts";
import { type CalendarDay, santiagoDay, santiagoTimestamp } from "../../platform/santiago-time.ts";
import type { Month } from "../month.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { clinicAccountsView, trialBalanceView } from "../views/accounting-view.ts";
import { bookedEntries } from "../views/money-view.ts";
import { answer, command, readDay, readMonth } from "./arguments.ts";
import { alignedColumns, type Shown } from "./print.ts";
import { requireProvider } from "./provider-commands.ts";

const PROVIDER = "the provider's id, or its RUT";
const MONTH = "such as 2026-11, in Santiago";

export function ledgerCommands(terminal: Terminal): Command {
  return new Command("ledger")
    .description("the ledger (bff/docs/how-to/accounting.md, bff/docs/reference/ledger.md)")
    .addCommand(entriesCommand(terminal))
    .addCommand(balancesCommand(terminal))
    .addCommand(statementCommand(terminal));
}

function entriesCommand(terminal: Terminal): Command {
  return command("entries", "every row of a month, oldest first, as CSV")
    .argument("<provider>", PROVIDER)
    .requiredOption("--month <month>", MONTH, readMonth)
    .action((named: string, options: { json?: boolean; month: Month }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const { from, to } = options.month;
        const entries = await bookedEntries(operator.db, { providerId, from, to });
        return {
          json: { provider_id: providerId, entries },
          lines: ["at,debit,credit,amount,cause,order", ...entries.map(dated).map(csvLine)],
        };
      }),
    );
}

interface BalanceOptions {
  json?: boolean;
  all?: boolean;
  at?: CalendarDay;
  table?: boolean;
}

function balancesCommand(terminal: Terminal): Command {
  return command("balances", "debits less credits of each account, which sum to nothing, as CSV")
    .argument("[provider]", `${PROVIDER}; omit it with --all`)
    .option("--all", "all clinics together, as a trial balance: with the debits and credits of each account")
    .option(
      "--at <day>",
      "a trial balance at the end of this day in Santiago, YYYY-MM-DD; default with --all: today",
      readDay,
    )
    .option("--table", "a trial balance in aligned columns instead of CSV")
    .action((named: string | undefined, options: BalanceOptions) =>
      answer(terminal, options, async (operator) => {
        if ((named === undefined) === (options.all !== true))
          throw new CommandRefused("Name a provider, or use --all for all clinics together.");
        const provider = named === undefined ? null : await requireProvider(operator, named);
        if (provider === null || options.at !== undefined) return shownTrialBalance(operator, provider, options);
        const balances = await balancesOf(operator.db, provider.id);
        return {
          json: { provider_id: provider.id, balances },
          lines: ["account,balance", ...balances.map(({ account, balance }) => csvLine({ account, balance }))],
        };
      }),
    );
}

async function shownTrialBalance(
  { db, environment, clock }: Operator,
  provider: Provider | null,
  options: BalanceOptions,
): Promise<Shown> {
  const day = options.at ?? santiagoDay(clock.now());
  const balance = await trialBalanceView(db, { environment, provider, day });
  const total = { account: "total", ...balance.total };
  const rows = [...balance.accounts, total];
  const lines = options.table
    ? [
        `Trial balance at the end of ${day}, clinics: ${balance.clinics}`,
        "",
        ...alignedColumns([
          ["account", "debit", "credit", "balance"],
          ...rows.map((row) => [row.account, row.debit, row.credit, row.balance]),
        ]),
      ]
    : ["account,debit,credit,balance", ...rows.map(csvLine)];
  return { json: { provider_id: provider?.id ?? null, ...balance }, lines };
}

function statementCommand(terminal: Terminal): Command {
  return command(
    "statement",
    "a month of a clinic and of each of its centres as CSV: opening balance, movements, closing balance",
  )
    .argument("<provider>", PROVIDER)
    .requiredOption("--month <month>", MONTH, readMonth)
    .action((named: string, options: { json?: boolean; month: Month }) =>
      answer(terminal, options, async (operator) => {
        const provider = await requireProvider(operator, named);
        const accounts = await clinicAccountsView(operator.db, provider, options.month);
        const { from, to } = options.month;
        return {
          json: { provider_id: provider.id, accounts },
          lines: [
            "payee,name,at,kind,order,reference,refund_reference,payout,amount,balance",
            ...accounts.flatMap((account) => statementLines(account, from, to)),
          ],
        };
      }),
    );
}

/** A row with its time in Santiago, so that every row of a month's file is dated in that month. */
function dated<Row extends { readonly at: string }>(row: Row): Row {
  return { ...row, at: santiagoTimestamp(new Date(row.at)) };
}

type AccountView = Awaited<ReturnType<typeof clinicAccountsView>>[number];

function statementLines({ payee, name, opening, movements, closing }: AccountView, from: Date, to: Date): string[] {
  const balanceLine = (kind: string, at: Date, balance: number) =>
    csvLine([payee, name, santiagoTimestamp(at), kind, "", "", "", "", "", balance]);
  return [
    balanceLine("opening", from, opening),
    ...movements.map((movement) => csvLine({ payee, name, ...dated(movement) })),
    balanceLine("closing", new Date(to.getTime() - SECOND_MS), closing),
  ];
}
