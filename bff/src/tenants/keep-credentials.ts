import type { Transaction } from "../platform/database/transaction.ts";
import { clearEndOfCredentials } from "./provider-store.ts";

/** Lets a provider's credentials live on that would have ended at this moment. */
export async function keepCredentials(
  tx: Transaction,
  kept: { readonly providerId: string; readonly endsAt: Date },
): Promise<void> {
  await clearEndOfCredentials(tx, kept);
}
