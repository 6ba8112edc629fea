import type { Phone } from "../../src/contract/vocabulary/phone.ts";
import type { Email, Message } from "../../src/gateways/messenger.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/** A mail in a patient's mailbox. */
export interface StoredEmail extends Email {
  readonly id: string;
  readonly messageId: string;
  readonly sentAt: Date;
}

/** A message on a patient's telephone. */
export interface StoredMessage extends Message {
  readonly id: string;
  readonly messageId: string;
  readonly sentAt: Date;
}

/** Puts a mail into the mailbox, unless one with this message id is there. */
export async function insertEmail(tx: Transaction, providerId: string, email: StoredEmail): Promise<void> {
  await tx
    .insertInto("sandbox_notices")
    .values({
      id: email.id,
      provider_id: providerId,
      message_id: email.messageId,
      to_address: email.to,
      subject: email.subject,
      text_body: email.text,
      html_body: email.html,
      sent_at: email.sentAt,
    })
    .onConflict((conflict) => conflict.constraint("sandbox_notices_once").doNothing())
    .execute();
}

/** A provider's newest mails, newest first; with `to`, only those to that address. */
export async function listEmails(
  db: Database,
  { providerId, to, limit }: { providerId: string; to: string | null; limit: number },
): Promise<readonly StoredEmail[]> {
  const all = db
    .selectFrom("sandbox_notices")
    .selectAll()
    .where("provider_id", "=", providerId)
    .orderBy("sent_at", "desc")
    .orderBy("id")
    .limit(limit);
  const rows = await (to === null ? all : all.where("to_address", "=", to)).execute();
  return rows.map((row) => ({
    id: row.id,
    messageId: row.message_id,
    to: row.to_address,
    subject: row.subject,
    text: row.text_body,
    html: row.html_body,
    sentAt: row.sent_at,
  }));
}

/** Puts a message onto a telephone, unless one with this message id is there. */
export async function insertMessage(tx: Transaction, providerId: string, message: StoredMessage): Promise<void> {
  await tx
    .insertInto("sandbox_messages")
    .values({
      id: message.id,
      provider_id: providerId,
      message_id: message.messageId,
      to_number: message.to,
      body: message.text,
      sent_at: message.sentAt,
    })
    .onConflict((conflict) => conflict.constraint("sandbox_messages_once").doNothing())
    .execute();
}

/** A provider's newest messages, newest first; with `to`, only those to that number. */
export async function listMessages(
  db: Database,
  { providerId, to, limit }: { providerId: string; to: Phone | null; limit: number },
): Promise<readonly StoredMessage[]> {
  const all = db
    .selectFrom("sandbox_messages")
    .selectAll()
    .where("provider_id", "=", providerId)
    .orderBy("sent_at", "desc")
    .orderBy("id")
    .limit(limit);
  const rows = await (to === null ? all : all.where("to_number", "=", to)).execute();
  return rows.map((row) => ({
    id: row.id,
    messageId: row.message_id,
    to: row.to_number,
    text: row.body,
    sentAt: row.sent_at,
  }));
}
