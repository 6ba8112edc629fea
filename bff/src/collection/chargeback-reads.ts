import type { RawBuilder } from "kysely";
import type { Database } from "../platform/database/transaction.ts";
import { chargebackKeys, selectSettled } from "./chargeback-store.ts";

/** Chargebacks of known orders (`provider_id, id`), as SQL for a statement of another feature. */
export function chargebackIds(): RawBuilder<unknown> {
  return chargebackKeys;
}

/** The processor's ids of a provider's chargebacks that an operator has marked as won or lost. */
export function settledChargebacks(db: Database, providerId: string): Promise<Set<string>> {
  return selectSettled(db, providerId);
}
