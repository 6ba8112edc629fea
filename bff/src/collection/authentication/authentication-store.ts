import { type Selectable, sql } from "kysely";
import type { DeclineReason } from "../../contract/errors.ts";
import type { ShownCharge } from "../../contract/self-service-links.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { CardAuthenticationsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { CollectionCard, CollectionKey } from "../collection-record.ts";
import type { AuthenticationPurpose, CardAuthentication } from "./card-authentication.ts";

export type NewAuthentication = Pick<
  CardAuthentication,
  | "providerId"
  | "orderId"
  | "id"
  | "purpose"
  | "number"
  | "cardId"
  | "card"
  | "amount"
  | "shownCharge"
  | "widgetTokenId"
  | "startedAt"
>;

/** Stores that an issuer is about to be asked. Violates `card_authentications_one_open` while another one is open. */
export async function insertAuthentication(
  tx: Transaction,
  authentication: NewAuthentication,
): Promise<CardAuthentication> {
  const row = await tx
    .insertInto("card_authentications")
    .values({
      provider_id: authentication.providerId,
      order_id: authentication.orderId,
      id: authentication.id,
      purpose: authentication.purpose,
      number: authentication.number,
      state: "authenticating",
      card_id: authentication.cardId,
      card: authentication.card === null ? null : JSON.stringify(authentication.card),
      amount: authentication.amount,
      shown_charge: authentication.shownCharge === null ? null : JSON.stringify(authentication.shownCharge),
      widget_token_id: authentication.widgetTokenId,
      authentication_id: null,
      network_transaction_id: null,
      challenge_url: null,
      challenge_expires_at: null,
      decline_reason: null,
      started_at: authentication.startedAt,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAuthentication(row);
}

/** All of an order for one purpose, oldest first. */
export async function readAuthentications(
  db: Database,
  { providerId, orderId }: CollectionKey,
  purpose: AuthenticationPurpose,
): Promise<readonly CardAuthentication[]> {
  const rows = await db
    .selectFrom("card_authentications")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("purpose", "=", purpose)
    .orderBy("number")
    .execute();
  return rows.map(toAuthentication);
}

/** One whose id a timer or a request has: none is ever deleted. */
export async function requireAuthentication(db: Database, key: CollectionKey, id: string): Promise<CardAuthentication> {
  return toAuthentication(await authenticationById(db, key, id).executeTakeFirstOrThrow());
}

/** One by its id; null if the order has none with it. */
export async function findAuthentication(
  db: Database,
  key: CollectionKey,
  id: string,
): Promise<CardAuthentication | null> {
  const row = await authenticationById(db, key, id).executeTakeFirst();
  return row === undefined ? null : toAuthentication(row);
}

function authenticationById(db: Database, { providerId, orderId }: CollectionKey, id: string) {
  return db
    .selectFrom("card_authentications")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id);
}

/** What an answer changes. All but a challenge ends it, and removes what is needed no longer. */
export type AuthenticationStep =
  | {
      readonly state: "challenged";
      readonly authenticationId: string;
      readonly challenge: NonNullable<CardAuthentication["challenge"]>;
    }
  | {
      readonly state: "proven";
      readonly authenticationId: string | null;
      /** The network's name of the mandate that it gave; null where none is told, or nothing is charged by it later. */
      readonly networkTransactionId: string | null;
    }
  | { readonly state: "declined"; readonly reason: DeclineReason }
  | { readonly state: "dropped" };

/** Stores a step of an open one. The order is locked. */
export async function writeAuthentication(
  tx: Transaction,
  key: CollectionKey,
  id: string,
  step: AuthenticationStep,
  at: Date,
): Promise<CardAuthentication> {
  const row = await tx
    .updateTable("card_authentications")
    .set({
      state: step.state,
      ...("authenticationId" in step && { authentication_id: step.authenticationId }),
      ...(step.state === "proven" && { network_transaction_id: step.networkTransactionId }),
      ...(step.state === "challenged"
        ? { challenge_url: step.challenge.url, challenge_expires_at: step.challenge.expiresAt, inquiries: 0 }
        : { card: null, challenge_url: null, ended_at: at }),
      ...(step.state === "declined" && { decline_reason: step.reason }),
    })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAuthentication(row);
}

/** Drops what is open for a purpose, because the patient begins anew. The order is locked. */
export async function dropOpenAuthentications(
  tx: Transaction,
  key: CollectionKey,
  purpose: AuthenticationPurpose,
  at: Date,
): Promise<void> {
  await tx
    .updateTable("card_authentications")
    .set({ state: "dropped", card: null, challenge_url: null, ended_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("purpose", "=", purpose)
    .where("ended_at", "is", null)
    .execute();
}

/** Counts an inquiry that brought nothing new. */
export async function countAuthenticationInquiry(db: Database, key: CollectionKey, id: string): Promise<void> {
  await db
    .updateTable("card_authentications")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .execute();
}

function toAuthentication(row: Selectable<CardAuthenticationsRow>): CardAuthentication {
  const { challenge_url: url, challenge_expires_at: expiresAt } = row;
  return {
    providerId: row.provider_id,
    orderId: row.order_id,
    id: row.id,
    purpose: row.purpose,
    number: row.number,
    state: row.state,
    cardId: row.card_id,
    card: row.card as CollectionCard | null,
    amount: row.amount as Clp,
    shownCharge: row.shown_charge as ShownCharge | null,
    widgetTokenId: row.widget_token_id,
    authenticationId: row.authentication_id,
    challenge: url === null || expiresAt === null ? null : { url, expiresAt },
    declineReason: row.decline_reason,
    inquiries: row.inquiries,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
