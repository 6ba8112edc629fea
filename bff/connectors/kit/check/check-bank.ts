import { bankCodeOf } from "../../../src/contract/vocabulary/banks.ts";
import { bankProtocol as protocol } from "../../../src/gateways/protocols/bank.ts";
import { checkKeyedCall } from "./check-keyed-call.ts";
import { checkPendingTransfer, checkReturnedTransfer } from "./check-late-transfers.ts";
import { checkList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { CheckRun, Json } from "./check-run.ts";

export async function checkBank(run: CheckRun): Promise<void> {
  const { account, amount, refused_account_number: refusedNumber } = run.values;
  const bankCode = bankCodeOf(account.bank);
  const inputFor = (account_number: string) => ({
    account: { ...account, account_number },
    ...(bankCode === null ? {} : { bankCode }),
    amount,
    reference: run.ids.uuid().slice(0, 35),
  });
  const newInput = async (): Promise<Json> => inputFor(account.account_number);
  await checkKeyedCall(run, {
    operation: protocol.transfer,
    newInput,
    changed: (input) => ({ ...input, amount: amount + 1 }),
    expected: "sent, with the amount that was asked for",
    isExpected: (outcome) => outcome.outcome === "sent" && outcome.amount === amount,
    hasInquiry: true,
    effect: {
      list: protocol.transfers.path,
      of: (outcome) => (outcome.outcome === "sent" ? { amount: outcome.amount } : null),
    },
  });
  const [check, expected] = ["refused-account", "refused, with a reason"];
  if (refusedNumber === null)
    run.noteNotChecked(protocol.transfer.path, check, expected, "refused_account_number is null");
  else
    await checkOutcome(run, {
      operation: protocol.transfer,
      check,
      expected,
      input: inputFor(refusedNumber),
      isExpected: ({ outcome }) => outcome === "refused",
    });
  await checkPendingTransfer(run, inputFor);
  await checkReturnedTransfer(run, inputFor);
  run.later.push(() => checkList(run, protocol.transfers));
}
