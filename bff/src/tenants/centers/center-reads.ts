import type { RawBuilder } from "kysely";
import { centersWithAccountKeys } from "./center-store.ts";

/** The centres with a bank account, as a subquery for another feature's statement: `id`. */
export function centersWithAccount(): RawBuilder<unknown> {
  return centersWithAccountKeys;
}
