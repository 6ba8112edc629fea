import { listEmails, type StoredEmail } from "../outside/messenger/sandbox-store.ts";
import type { Database } from "../platform/database/transaction.ts";

/** The newest mails of a tenant's patients, newest first; with an address, those to it. */
export function readNotices(
  { db }: { readonly db: Database },
  wanted: { readonly providerId: string; readonly to: string | null; readonly limit: number },
): Promise<readonly StoredEmail[]> {
  return listEmails(db, wanted);
}
