import type * as z from "zod/mini";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { checkTokensOf } from "./check-keyed-call.ts";
import { readWholeList } from "./check-list.ts";
import type { CheckRun } from "./check-run.ts";

const { settlements } = cardProcessorProtocol;
type Settlement = z.output<typeof settlements.answer>["items"][number];

/** The number of past days of settlements to read, because processors pay days later. */
const SETTLED_WITHIN_DAYS = 40;
const EXPECTED = "settlements whose lines sum to their amount, or none";

export async function checkSettlements(run: CheckRun): Promise<void> {
  const now = run.moment().getTime();
  const range = {
    from: new Date(now - SETTLED_WITHIN_DAYS * DAY_MS),
    to: new Date(now + SETTLED_WITHIN_DAYS * DAY_MS),
  };
  const items = await readWholeList(run, settlements, { providerId: run.providerId, ...range });
  const { path } = settlements;
  if ("fault" in items) run.note(path, "sums", EXPECTED, items.fault);
  else {
    const wrong = (items as unknown as readonly Settlement[]).filter((each) => sumOf(each) !== each.amount);
    const fault = wrong.length === 0 ? null : `${wrong.length} of ${items.length} do not sum`;
    run.note(path, "sums", EXPECTED, fault);
  }
  await checkTokensOf(run, path, async () =>
    JSON.stringify({ provider_id: run.providerId, from: range.from, to: range.to, after: null }),
  );
}

/** Charges and reversals less returns, chargebacks, fees and their VAT. */
function sumOf({ lines }: Settlement): number {
  const signs = { charge: 1, chargeback_reversal: 1, return: -1, chargeback: -1, fee: 0 } as const;
  return lines.reduce((sum, { kind, amount, fee, feeVat }) => sum + signs[kind] * amount - fee - feeVat, 0);
}
