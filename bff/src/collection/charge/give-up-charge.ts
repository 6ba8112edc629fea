import type { OrderRecord } from "../../orders/order-record.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { publishCollectionEvent } from "../collection-events.ts";
import { dueOf } from "../collection-record.ts";
import { fallInArrears } from "../loan-reports/report-loan.ts";
import type { Standing } from "./standing.ts";

/**
 * Gives a charge up that was due and is not made. Nothing was asked of the card, so that no decline has told the patient
 * of it: they are told that it is to be paid otherwise, where the mandate was revoked.
 */
export async function giveUpCharge(
  tx: Transaction,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { order, standing, at }: { readonly order: OrderRecord; readonly standing: Standing; readonly at: Date },
): Promise<void> {
  await fallInArrears(tx, { clock }, order, at);
  if (standing.failure !== "mandate_revoked") return;
  const payload = { order_hash: order.orderId, ...dueOf(order) };
  await publishCollectionEvent(tx, ids, order, { kind: "collection.due_without_mandate", payload }, at);
}
