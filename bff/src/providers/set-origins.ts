import { inTransaction } from "../platform/database/transaction.ts";
import type { ProviderOperations } from "./create-provider.ts";
import { ProviderNotFound } from "./errors.ts";
import { originsSchema, requireSecure } from "./origins.ts";
import { replaceOrigins } from "./provider-store.ts";

/**
 * Replaces the origins that may frame the widget and call the public endpoints. Returns them as they are kept. Throws
 * `ZodError`, `OriginNotSecure` or `ProviderNotFound`.
 */
export async function setOrigins(
  { db, clock, environment }: Pick<ProviderOperations, "db" | "clock" | "environment">,
  providerId: string,
  input: readonly string[],
): Promise<readonly string[]> {
  const origins = originsSchema.parse(input);
  requireSecure(origins, environment);
  const isKnown = await inTransaction(db, (tx) => replaceOrigins(tx, providerId, origins, clock.now()));
  if (!isKnown) throw new ProviderNotFound("There is no provider with this id.");
  return origins;
}
