import { inTransaction } from "../platform/database/transaction.ts";
import { auditProvider } from "./audit-provider.ts";
import { ProviderNotFound } from "./errors.ts";
import { originsSchema, requireSecure } from "./origins.ts";
import type { ProviderOperations } from "./provider-operations.ts";
import { replaceOrigins } from "./provider-store.ts";

/**
 * Replaces the origins that may frame the widget and call the public endpoints. Returns them in normalised form. Throws
 * `ZodError`, `OriginNotSecure` or `ProviderNotFound`.
 */
export async function setOrigins(
  operations: Omit<ProviderOperations, "keyring">,
  providerId: string,
  input: readonly string[],
): Promise<readonly string[]> {
  const { db, clock, environment } = operations;
  const origins = originsSchema.parse(input);
  requireSecure(origins, environment);
  await inTransaction(db, async (tx) => {
    if (!(await replaceOrigins(tx, providerId, origins, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, { act: "provider.origins_set", providerId, details: { origins } });
  });
  return origins;
}
