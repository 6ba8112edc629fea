import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import { eraseReimbursedEvidence } from "./collection-store.ts";

/** What an insurer paid is erased from why the deferred part of some orders (`provider_id, order_id`) was due. */
export function eraseReimbursed(tx: Transaction, orders: RawBuilder<unknown>): Promise<void> {
  return eraseReimbursedEvidence(tx, orders);
}
