import type { RawBuilder } from "kysely";
import { centersWithAccountKeys } from "./center-store.ts";

/** Centres that have told a bank account, for a statement of another feature: `id`. */
export function centersWithAccount(): RawBuilder<unknown> {
  return centersWithAccountKeys;
}
