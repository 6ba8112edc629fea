import type { RawBuilder } from "kysely";
import type { Database } from "../platform/database/transaction.ts";
import { chargebackKeys, selectSettled } from "./chargeback-store.ts";

/** Chargebacks of orders that we know, for a statement of another feature: `provider_id, id`. */
export function chargebackIds(): RawBuilder<unknown> {
  return chargebackKeys;
}

/** A provider's chargebacks of which an operator has said who bears them, by the processor's ids. */
export function settledChargebacks(db: Database, providerId: string): Promise<Set<string>> {
  return selectSettled(db, providerId);
}
