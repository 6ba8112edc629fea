import { bankProtocol as protocol } from "../../../src/gateways/protocols/bank.ts";
import { checkKeyedCall } from "./check-keyed-call.ts";
import { checkList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { CheckRun, Json } from "./check-run.ts";

export async function checkBank(run: CheckRun): Promise<void> {
  const { account, amount, refused_account_number: refusedNumber } = run.values;
  const newInput = async (): Promise<Json> => ({ account, amount, reference: run.ids.uuid().slice(0, 35) });
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
      input: { ...(await newInput()), account: { ...account, account_number: refusedNumber } },
      isExpected: ({ outcome }) => outcome === "refused",
    });
  run.later.push(() => checkList(run, protocol.transfers));
}
