import { Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { type FeeRegime, feeRegimeSchema } from "../../contract/vocabulary/commission-tax.ts";
import { csvLine } from "../../platform/csv-line.ts";
import type { MadePayout } from "../../settlement/payout.ts";
import { setPayoutTerms } from "../../settlement/payout-terms.ts";
import { listPayouts, payoutItems } from "../../settlement/payout-views.ts";
import type { Month } from "../month.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { payoutItemView, payoutView, statementOf } from "../views/money-view.ts";
import { type AccountOptions, answer, command, readAccount, readMonth } from "./arguments.ts";
import { requireProvider } from "./provider-commands.ts";

export function payoutCommands(terminal: Terminal): Command {
  return new Command("payouts")
    .description("payouts to clinics")
    .addCommand(setTermsCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(statementCommand(terminal));
}

interface MonthOptions {
  json?: boolean;
  month: Month;
}

/** A command about a provider's payouts of one month. */
function monthlyCommand(name: string, description: string): Command {
  return command(name, description)
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--month <month>", "such as 2026-11, in Santiago", readMonth);
}

function listCommand(terminal: Terminal): Command {
  return monthlyCommand("list", "a provider's payouts of a month, oldest first").action(
    (named: string, options: MonthOptions) =>
      answer(terminal, options, async (operator) => {
        const payouts = (await payoutsOf(operator, named, options.month)).map(payoutView);
        return { json: { payouts }, lines: [PAYOUT_COLUMNS, ...payouts.map(csvLine)] };
      }),
  );
}

function showCommand(terminal: Terminal): Command {
  return command("show", "what of a payout belongs to which order")
    .argument("<provider>", "the provider's id, or its RUT")
    .argument("<payout>", "its id, as `aapd payouts list` shows it")
    .action((named: string, id: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const items = z.uuid().safeParse(id).success
          ? (await payoutItems(operator.db, { providerId, id })).map(payoutItemView)
          : [];
        if (items.length === 0) throw new CommandRefused("The provider has no such payout.");
        return { json: { payout: id, items }, lines: ["order,net,fee,fee_vat", ...items.map(csvLine)] };
      }),
    );
}

function statementCommand(terminal: Terminal): Command {
  return monthlyCommand("statement", "a provider's month, order by order, with its sums, as CSV").action(
    (named: string, options: MonthOptions) =>
      answer(terminal, options, async (operator) => {
        const payouts = await payoutsOf(operator, named, options.month);
        const { items, totals } = await statementOf(operator.db, payouts);
        const sums = totals.map(({ payee, state, net, fee, fee_vat }) =>
          csvLine(["total", "", payee, state, "", net, fee, fee_vat]),
        );
        const lines = ["day,payout,payee,state,order,net,fee,fee_vat", ...items.map(csvLine), ...sums];
        return { json: { items, totals }, lines };
      }),
  );
}

async function payoutsOf(operator: Operator, named: string, { firstDay, lastDay }: Month): Promise<MadePayout[]> {
  const { id: providerId } = await requireProvider(operator, named);
  return listPayouts(operator.db, { providerId, from: firstDay, to: lastDay, of: "clinics" });
}

export const PAYOUT_COLUMNS = "payout,payee,day,amount,state,refusal,transfer,settled_at,returned_at";

interface TermsOptions extends AccountOptions {
  json?: boolean;
  fee: number;
  feeRegime: FeeRegime;
}

function setTermsCommand(terminal: Terminal): Command {
  return command("set-terms", "what is agreed with a provider; holds for orders that are paid from now on")
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption(
      "--fee <percentage>",
      "percent of the total less refunds that AAPD keeps, VAT included",
      readPercentage,
    )
    .addOption(
      new Option(
        "--fee-regime <regime>",
        "the fee is a service with VAT, or exempt; paid orders keep theirs. Set taxed_service only when no process of " +
          "a release without this option runs",
      )
        .choices(feeRegimeSchema.options)
        .makeOptionMandatory(),
    )
    .option("--bank <name>", "the clinic's account; without any account option the present one stays")
    .option("--account-type <type>", "checking, sight or savings")
    .option("--account-number <digits>")
    .option("--holder-name <name>")
    .option("--holder-rut <rut>")
    .action((named: string, options: TermsOptions) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const bankAccount = options.bank === undefined ? null : readAccount(options);
        await setPayoutTerms(operator, {
          providerId,
          fee: { percentage: options.fee, regime: options.feeRegime },
          bankAccount,
          actor: operator.actor,
        });
        const ending = bankAccount === null ? null : bankAccount.account_number.slice(-4);
        const into = ending === null ? "The account is unchanged." : `Paid into the account ending in ${ending}.`;
        return {
          json: {
            provider_id: providerId,
            fee_percentage: options.fee,
            fee_regime: options.feeRegime,
            account_ending: ending,
          },
          lines: [`The fee is ${options.fee} %, ${REGIME_WORDS[options.feeRegime]}.`, into],
        };
      }),
    );
}

const REGIME_WORDS: Readonly<Record<FeeRegime, string>> = { taxed_service: "VAT included", exempt: "exempt of VAT" };

function readPercentage(text: string): number {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !(value >= 0 && value <= 100))
    throw new InvalidArgumentError("It must be a percentage between 0 and 100.");
  return value;
}
