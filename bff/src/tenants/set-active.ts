import { inTransaction } from "../platform/database/transaction.ts";
import { auditProvider } from "./audit-provider.ts";
import { ProviderNotFound } from "./errors.ts";
import type { ProviderOperations } from "./provider-operations.ts";
import { updateActive } from "./provider-store.ts";

/** Enables or disables a provider; while disabled, all its credentials are answered with 401. Throws `ProviderNotFound`. */
export async function setActive(
  operations: Pick<ProviderOperations, "db" | "clock" | "ids" | "actor">,
  providerId: string,
  active: boolean,
): Promise<void> {
  const { db, clock } = operations;
  await inTransaction(db, async (tx) => {
    if (!(await updateActive(tx, providerId, active, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, { act: active ? "provider.activated" : "provider.deactivated", providerId });
  });
}
