import { Command, InvalidArgumentError } from "commander";
import { bankAccountSchema } from "../../contract/bank-account.ts";
import { setPayoutTerms } from "../../settlement/payouts/payout-terms.ts";
import { answer, command } from "./answer.ts";
import type { Terminal } from "./operator.ts";
import { requireProvider } from "./provider-commands.ts";

export function payoutCommands(terminal: Terminal): Command {
  return new Command("payouts").description("what clinics are paid").addCommand(setTermsCommand(terminal));
}

interface TermsOptions {
  json?: boolean;
  fee: number;
  bank?: string;
  accountType?: string;
  accountNumber?: string;
  holderName?: string;
  holderRut?: string;
}

function setTermsCommand(terminal: Terminal): Command {
  return command("set-terms", "what is agreed with a provider; holds for orders that are paid from now on")
    .argument("<provider>", "the provider's id, or its RUT")
    .requiredOption("--fee <percentage>", "kept of the total less refunds", readPercentage)
    .option("--bank <name>", "its own account; left out with the rest of it, the one that is there stays")
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
          feePercentage: options.fee,
          bankAccount,
          actor: operator.actor,
        });
        const ending = bankAccount === null ? null : bankAccount.account_number.slice(-4);
        const into = ending === null ? "The account stays as it was." : `Paid into the account ending in ${ending}.`;
        return {
          json: { provider_id: providerId, fee_percentage: options.fee, account_ending: ending },
          lines: [`${options.fee} % is kept.`, into],
        };
      }),
    );
}

function readAccount({ bank, accountType, accountNumber, holderName, holderRut }: TermsOptions) {
  return bankAccountSchema.parse({
    bank,
    account_type: accountType,
    account_number: accountNumber,
    holder_name: holderName,
    holder_rut: holderRut,
  });
}

function readPercentage(text: string): number {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !(value >= 0 && value <= 100))
    throw new InvalidArgumentError("It must be a percentage between 0 and 100.");
  return value;
}
