import { inTransaction } from "../platform/database/transaction.ts";
import type { ProviderOperations } from "./create-provider.ts";
import { ProviderNotFound } from "./errors.ts";
import { updateActive } from "./provider-store.ts";

/** Opens or closes a provider's access: while closed every credential of it is answered 401. Throws `ProviderNotFound`. */
export async function setActive(
  { db, clock }: Pick<ProviderOperations, "db" | "clock">,
  providerId: string,
  active: boolean,
): Promise<void> {
  const isKnown = await inTransaction(db, (tx) => updateActive(tx, providerId, active, clock.now()));
  if (!isKnown) throw new ProviderNotFound("There is no provider with this id.");
}
