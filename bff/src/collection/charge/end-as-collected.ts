import { spendTokensOfOrder } from "../../checkout/tokens/open-widget-token.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import { removeUnneededCards } from "../cards/remove-cards.ts";
import type { CollectionKey, CollectionRecord } from "../collection-record.ts";
import { insertTrigger, updateCollection } from "../collection-store.ts";
import { ANNOUNCE_TIMER, DEADLINE_TIMER } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { reportLoanEnd } from "../loan-reports/report-loan.ts";
import type { Standing } from "./standing.ts";

/** Ends a collection whose deferred part was paid. Returns its standing. */
export async function endAsCollected(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock">,
  collection: CollectionRecord,
  { paymentId, price, at }: { readonly paymentId: string; readonly price: Clp; readonly at: Date },
): Promise<Standing> {
  const key: CollectionKey = { providerId: collection.providerId, orderId: collection.orderId };
  const standing: Standing = { state: "collected", dueAt: null, failure: null };
  // Without a trigger, the patient's own wish is what made it due.
  if (collection.trigger === null)
    await insertTrigger(tx, key, { reason: "paid_early", at, evidence: { payment_id: paymentId } });
  await updateCollection(tx, key, standing, at);
  await removeUnneededCards(tx, dependencies, key, at);
  for (const kind of [DEADLINE_TIMER, ANNOUNCE_TIMER]) await cancelTimer(tx, { kind, key: key.orderId });
  // The links that were sent can no longer change anything.
  await spendTokensOfOrder(tx, { ...key, at });
  await reportLoanEnd(tx, dependencies, key, { end: "collected", amount: price, at });
  return standing;
}
