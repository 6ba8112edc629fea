import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import { eraseReimbursedEvidence } from "./collection-store.ts";

/** Removes what an insurer paid from the triggers of some orders (`provider_id, order_id`). */
export function eraseReimbursed(tx: Transaction, orders: RawBuilder<unknown>): Promise<void> {
  return eraseReimbursedEvidence(tx, orders);
}
