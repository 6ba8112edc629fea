import type { RawBuilder } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { centersWithAccountKeys, readCenterName } from "./center-store.ts";

/** The centres with a bank account, as a subquery for another feature's statement: `id`. */
export function centersWithAccount(): RawBuilder<unknown> {
  return centersWithAccountKeys;
}

/** The name of the clinic that treats: in a network, that of the order's centre. */
export async function nameOfClinic(
  db: Database,
  provider: Pick<Provider, "id" | "name">,
  center: { readonly id: string } | null,
): Promise<string> {
  const name = center === null ? null : await readCenterName(db, { providerId: provider.id, id: center.id });
  return name ?? provider.name;
}
