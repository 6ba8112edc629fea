import { readPhone } from "../src/contract/vocabulary/phone.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import { listEmails, listMessages, type StoredEmail, type StoredMessage } from "./messenger/messenger-store.ts";

/** Which notifications are read: those of a provider's patients, or with `to` only those to one address or number. */
export interface NotificationsWanted {
  readonly providerId: string;
  readonly to: string | null;
  readonly limit: number;
}

/** The newest mails to a tenant's patients, newest first; with `to`, only those to that address. */
export function readNotifications(
  { db }: { readonly db: Database },
  wanted: NotificationsWanted,
): Promise<readonly StoredEmail[]> {
  return listEmails(db, wanted);
}

/** The newest messages to a tenant's patients, newest first; with `to`, only those to that number. */
export async function readMessages(
  { db }: { readonly db: Database },
  { to, ...wanted }: NotificationsWanted,
): Promise<readonly StoredMessage[]> {
  const number = to === null ? null : readPhone(to);
  return to !== null && number === null ? [] : listMessages(db, { ...wanted, to: number });
}
