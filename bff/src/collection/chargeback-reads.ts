import type { RawBuilder } from "kysely";
import { chargebackKeys } from "./chargeback-store.ts";

/** Chargebacks of orders that we know, for a statement of another feature: `provider_id, id`. */
export function chargebackIds(): RawBuilder<unknown> {
  return chargebackKeys;
}
