import { spendTokensOfOrder } from "../checkout/open-widget-token.ts";
import { proveOrdersVisit } from "../checkout/work.ts";
import { afterFailedRefund, afterPayment } from "../collection/work.ts";
import { type Within, withinOf } from "../platform/within.ts";
import { type EraseDependencies, endWaitingErasure } from "../self-service/erase-data.ts";

/** The listeners of each event inside a transaction, in the order in which they are called. */
export function createWithin(dependencies: EraseDependencies): Within {
  const within: Within = withinOf({
    identity_matched: [(tx, matched) => proveOrdersVisit({ ...dependencies, within }, tx, matched)],
    order_paid: [spendTokensOfOrder, afterPayment],
    refund_without_return: [(tx, failed) => afterFailedRefund(tx, dependencies, failed)],
    patient_registered_again: [(tx, back) => endWaitingErasure(dependencies, tx, back)],
  });
  return within;
}
