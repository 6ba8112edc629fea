import { isDeepStrictEqual } from "node:util";
import type * as z from "zod/mini";
import { cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import type { CardOfOrder } from "./card-of-order.ts";
import { checkKeyedCall } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { CheckRun } from "./check-run.ts";
import { voucherFields } from "./voucher-fields.ts";

export type Return = z.output<typeof protocol.returnCharge.outcome>;
/** Makes a charge for a check and returns its id; null if it was not captured. */
export type ChargeFor = (card: CardOfOrder, check: string) => Promise<string | null>;

/** The maximum number of parts of a charge that the return checks give back. */
export const PARTS = 40;

/** Checks the returns of a charge. */
export async function checkReturns(run: CheckRun, card: CardOfOrder, chargeFor: ChargeFor): Promise<void> {
  const part = Math.floor(run.values.amount / PARTS);
  const charge = await chargeFor(card, "another-charge-of-the-card");
  if (charge === null) {
    run.noteNotChecked(protocol.returnCharge.path, "everything", "…", "there is no charge to give back");
    return;
  }
  const input = { chargeId: charge, amount: part, orderHash: card.orderHash };
  await checkKeyedCall(run, {
    operation: protocol.returnCharge,
    newInput: async () => input,
    changed: (given) => ({ ...given, amount: part + 1 }),
    expected: "returned, with the amount that was asked for, or pending",
    isExpected: (outcome, { amount }) =>
      outcome.outcome === "pending" || (outcome.outcome === "returned" && outcome.amount === amount),
    isSame: isSameReturn,
    hasInquiry: true,
    effect: {
      list: protocol.movements.path,
      of: (outcome) =>
        outcome.outcome === "returned"
          ? { amount: outcome.amount, kind: "return", voucher: voucherFields(outcome) }
          : null,
      mayCome: ({ outcome }) => outcome === "pending",
    },
  });
  const wrong = {
    "more-than-was-captured": { input: { ...input, amount: run.values.amount } },
    "unknown-charge": { input: { ...input, chargeId: run.ids.uuid() } },
    "charge-of-another-order": { input: { ...input, orderHash: run.order() } },
    "charge-of-another-provider": { input, providerId: run.otherProviderId },
  };
  for (const [check, asked] of Object.entries(wrong))
    await checkOutcome(run, {
      operation: protocol.returnCharge,
      check,
      expected: "refused",
      isExpected: ({ outcome }) => outcome === "refused",
      ...asked,
    });
}

/** Whether two answers are about one return, which may have ended in between, but not later than announced. */
export function isSameReturn(one: Return, other: Return): boolean {
  if (one.outcome !== "pending") return isDeepStrictEqual(one, other);
  switch (other.outcome) {
    case "pending":
      return other.returnId === one.returnId && other.endsBy <= one.endsBy;
    case "returned":
      return other.returnId === one.returnId;
    case "refused":
      return true;
  }
}
