import { readPhone } from "../src/contract/vocabulary/phone.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import { listEmails, listMessages, type StoredEmail, type StoredMessage } from "./messenger/messenger-store.ts";

/** Whose notices: of one provider's patients; with an address or a number (`to`), of one of them. */
export interface NotificationsWanted {
  readonly providerId: string;
  readonly to: string | null;
  readonly limit: number;
}

/** The newest mails of a tenant's patients, newest first; with an address, those to it. */
export function readNotifications(
  { db }: { readonly db: Database },
  wanted: NotificationsWanted,
): Promise<readonly StoredEmail[]> {
  return listEmails(db, wanted);
}

/** The newest messages of a tenant's patients, newest first; with a number, those to it. */
export async function readMessages(
  { db }: { readonly db: Database },
  { to, ...wanted }: NotificationsWanted,
): Promise<readonly StoredMessage[]> {
  const number = to === null ? null : readPhone(to);
  return to !== null && number === null ? [] : listMessages(db, { ...wanted, to: number });
}
