import type { RawBuilder } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";
import { centersWithAccountKeys, readCenterName } from "./center-store.ts";

/** The centres with a bank account, as a subquery for another feature's statement: `id`. */
export function centersWithAccount(): RawBuilder<unknown> {
  return centersWithAccountKeys;
}

/** The name of a provider's centre. */
export function nameOfCenter(
  db: Database,
  center: { readonly providerId: string; readonly id: string },
): Promise<string | null> {
  return readCenterName(db, center);
}
