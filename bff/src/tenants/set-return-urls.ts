import { inTransaction } from "../platform/database/transaction.ts";
import { auditProvider } from "./audit-provider.ts";
import { ProviderNotFound } from "./errors.ts";
import { requireSecure } from "./origins.ts";
import type { ProviderOperations } from "./provider-operations.ts";
import { writeReturnUrls } from "./provider-store.ts";
import { returnUrlsSchema } from "./return-urls.ts";

/**
 * Replaces the addresses that bring patients back; a token that names one that is gone brings nobody back. Returns them in
 * normalised form. Throws `ZodError`, `OriginNotSecure` or `ProviderNotFound`.
 */
export async function setReturnUrls(
  operations: Omit<ProviderOperations, "keyring">,
  providerId: string,
  input: readonly string[],
): Promise<readonly string[]> {
  const { db, clock, environment } = operations;
  const returnUrls = returnUrlsSchema.parse(input);
  requireSecure(returnUrls, environment);
  await inTransaction(db, async (tx) => {
    if (!(await writeReturnUrls(tx, providerId, returnUrls, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, {
      act: "provider.return_urls_set",
      providerId,
      details: { return_urls: returnUrls },
    });
  });
  return returnUrls;
}
