import { sql } from "kysely";
import * as z from "zod/mini";
import { phoneSchema } from "../../src/contract/vocabulary/phone.ts";
import type { MessageRefusal } from "../../src/gateways/messenger.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

export type MessageState = "planned" | "sending" | "accepted" | "delivered" | "by_sms" | "sent_by_sms" | "refused";

const contentSchema = z.object({ to: phoneSchema, text: z.string() });
/** What the fallback sends. Stored only with a template, as Meta may fail later: a one-time code is never stored. */
export type Content = z.output<typeof contentSchema>;

export interface StoredMessage {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  /** The provider's time of the call. */
  readonly at: Date;
  /** Real time. */
  readonly begunAt: Date;
  readonly state: MessageState;
  readonly content: Content | null;
  readonly reason: MessageRefusal | null;
}

type Row = Omit<StoredMessage, "content"> & { readonly content: unknown };

const COLUMNS = sql`id, provider_id as "providerId", idempotency_key as "idempotencyKey", at, begun_at as "begunAt",
  state, content, reason`;

function messageOf({ content, ...row }: Row): StoredMessage {
  return { ...row, content: content === null ? null : contentSchema.parse(content) };
}

export async function insertMessage(
  tx: Transaction,
  message: Pick<StoredMessage, "id" | "providerId" | "idempotencyKey" | "at" | "begunAt">,
): Promise<void> {
  await sql`
    insert into messages (id, provider_id, idempotency_key, at, begun_at, changed_at)
    values (${message.id}, ${message.providerId}, ${message.idempotencyKey}, ${message.at}::timestamptz,
      ${message.begunAt}::timestamptz, ${message.begunAt}::timestamptz)
  `.execute(tx);
}

export async function findMessage(db: Database, id: string): Promise<StoredMessage | undefined> {
  const { rows } = await sql<Row>`select ${COLUMNS} from messages where id = ${id}`.execute(db);
  return rows[0] && messageOf(rows[0]);
}

/** The message of a status: by our name of it, or by Meta's id. Two, if they name different messages. */
export async function findNamedMessages(
  db: Database,
  { id, wamid }: { readonly id: string | null; readonly wamid: string },
): Promise<readonly StoredMessage[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from messages where id = ${id} or wamid = ${wamid}
  `.execute(db);
  return rows.map(messageOf);
}

/** Messages that the fallback has to send without another call of the service, oldest first. */
export async function listBySms(db: Database): Promise<readonly StoredMessage[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from messages where state = 'by_sms' and content is not null order by changed_at limit 100
  `.execute(db);
  return rows.map(messageOf);
}

export interface MessageChange {
  /** The states that it may be in. In another one nothing changes. */
  readonly from: readonly MessageState[];
  readonly to: MessageState;
  readonly at: Date;
  readonly wamid?: string;
  readonly content?: Content | null;
  readonly reason?: MessageRefusal;
}

/** Returns the changed message; null if another process was faster. */
export async function changeMessage(
  db: Database,
  id: string,
  { from, to, at, wamid, content, reason }: MessageChange,
): Promise<StoredMessage | null> {
  const { rows } = await sql<Row>`
    update messages set state = ${to}, changed_at = ${at}::timestamptz,
      wamid = coalesce(${wamid ?? null}, wamid),
      content = ${content === undefined ? sql`content` : content === null ? null : sql`${JSON.stringify(content)}::jsonb`},
      reason = ${reason ?? null}
    where id = ${id} and state = any(${from})
    returning ${COLUMNS}
  `.execute(db);
  return rows[0] ? messageOf(rows[0]) : null;
}

/** Deletes numbers and texts of messages that began before a moment. */
export async function deleteOldContents(db: Database, before: Date): Promise<void> {
  await sql`
    update messages set content = null where content is not null and begun_at < ${before}::timestamptz
  `.execute(db);
}

/** Gives up the messages for the fallback that began before a moment. */
export async function giveUpBySms(db: Database, before: Date): Promise<void> {
  await sql`
    update messages set state = 'refused', reason = 'number_unreachable', content = null
    where state = 'by_sms' and begun_at < ${before}::timestamptz
  `.execute(db);
}
