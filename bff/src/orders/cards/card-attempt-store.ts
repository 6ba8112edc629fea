import { type Selectable, sql } from "kysely";
import type { DeclineReason } from "../../contract/errors.ts";
import type { ShownCharge } from "../../contract/self-service-links.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { CardAttemptsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type {
  AttemptFor,
  AttemptPurpose,
  CardAttempt,
  CardAuthentication,
  CardRegistration,
  GivenWithCard,
} from "../card-attempt.ts";
import type { OrderCard } from "../order-record.ts";
import type { OrderKey } from "../order-store.ts";

type Begun = "providerId" | "orderId" | "id" | "purpose" | "number" | "widgetTokenId" | "startedAt";
export type NewRegistration = Pick<CardRegistration, Begun | "given" | "page">;
export type NewAuthentication = Pick<CardAuthentication, Begun | "cardId" | "card" | "amount" | "shownCharge">;
export type NewCardAttempt = NewRegistration | NewAuthentication;

/** Stores an attempt before its first call. Violates `card_attempts_one_open` while another one is open. */
export async function insertCardAttempt<Begun extends NewCardAttempt>(
  tx: Transaction,
  begun: Begun,
): Promise<AttemptFor<Begun["purpose"]>> {
  const { providerId, orderId, id, purpose, number, widgetTokenId, startedAt } = begun;
  const state = "page" in begun && begun.page !== null ? "at_page" : "calling";
  const row = await tx
    .insertInto("card_attempts")
    .values({
      provider_id: providerId,
      order_id: orderId,
      id,
      purpose,
      number,
      state: stateColumn(purpose, state),
      widget_token_id: widgetTokenId,
      started_at: startedAt,
      ...("given" in begun
        ? {
            given: begun.given === null ? null : JSON.stringify(begun.given),
            page_url: begun.page?.url ?? null,
            page_expires_at: begun.page?.expiresAt ?? null,
            page_display: begun.page?.display ?? null,
          }
        : {
            card_id: begun.cardId,
            card: begun.card === null ? null : JSON.stringify(begun.card),
            amount: begun.amount,
            shown_charge: begun.shownCharge === null ? null : JSON.stringify(begun.shownCharge),
          }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAttempt(row) as AttemptFor<Begun["purpose"]>;
}

/** The attempts of an order for a purpose, oldest first. With `widgetTokenId`, only those that this link started. */
export async function selectCardAttempts<Purpose extends AttemptPurpose>(
  db: Database,
  key: OrderKey,
  { purpose, widgetTokenId }: { readonly purpose: Purpose; readonly widgetTokenId?: string },
): Promise<readonly AttemptFor<Purpose>[]> {
  let query = db.selectFrom("card_attempts").selectAll().where(ofOrder(key)).where("purpose", "=", purpose);
  if (widgetTokenId !== undefined) query = query.where("widget_token_id", "=", widgetTokenId);
  const rows = await query.orderBy("number").execute();
  return rows.map((row) => toAttempt(row) as AttemptFor<Purpose>);
}

/** An attempt by its id; null if the order has none with it. */
export async function selectCardAttempt(db: Database, key: OrderKey, id: string): Promise<CardAttempt | null> {
  const row = await db
    .selectFrom("card_attempts")
    .selectAll()
    .where(byId({ ...key, id }))
    .executeTakeFirst();
  return row === undefined ? null : toAttempt(row);
}

/**
 * An attempt whose id a timer or caller has. Attempts are never deleted. The timer's kind says which attempts it has.
 */
export async function requireCardAttempt<Attempt extends CardAttempt>(
  db: Database,
  key: OrderKey,
  id: string,
): Promise<Attempt> {
  const row = await db
    .selectFrom("card_attempts")
    .selectAll()
    .where(byId({ ...key, id }))
    .executeTakeFirstOrThrow();
  return toAttempt(row) as Attempt;
}

/**
 * A change that an answer makes. Every step except the page ends the attempt and removes the data needed only while
 * open.
 */
export type CardAttemptStep =
  | {
      readonly state: "at_page";
      readonly page: NonNullable<CardAttempt["page"]>;
      readonly authenticationId: string | null;
    }
  | {
      readonly state: "succeeded";
      readonly cardId: string;
      readonly authenticationId: string | null;
      /** The card network's name for the mandate that an authentication gave; null if there is none. */
      readonly networkTransactionId: string | null;
    }
  | { readonly state: "declined"; readonly reason: DeclineReason }
  | { readonly state: "expires_too_soon" | "dropped" | "abandoned"; readonly cardId: string | null };

/** Stores a step of an open attempt. Returns null if the attempt has already ended. The order is locked. */
export async function writeStep<Attempt extends CardAttempt>(
  tx: Database,
  attempt: Attempt,
  step: CardAttemptStep,
  at: Date,
): Promise<Attempt | null> {
  const row = await tx
    .updateTable("card_attempts")
    .set({
      state: stateColumn(attempt.purpose, step.state),
      ...(step.state === "at_page"
        ? {
            page_url: step.page.url,
            page_expires_at: step.page.expiresAt,
            page_display: step.page.display ?? null,
            inquiries: 0,
          }
        : { given: null, card: null, page_url: null, ended_at: at }),
      ...("cardId" in step && { card_id: step.cardId }),
      ...("authenticationId" in step && { authentication_id: step.authenticationId }),
      ...(step.state === "succeeded" && { network_transaction_id: step.networkTransactionId }),
      ...(step.state === "declined" && { decline_reason: step.reason }),
    })
    .where(byId(attempt))
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : (toAttempt(row) as Attempt);
}

/** Stores what the patient submitted with their last press. The order is locked. */
export async function writeGiven(
  tx: Transaction,
  registration: CardRegistration,
  given: GivenWithCard | null,
): Promise<void> {
  await tx
    .updateTable("card_attempts")
    .set({ given: given === null ? null : JSON.stringify(given) })
    .where(byId(registration))
    .where("ended_at", "is", null)
    .execute();
}

/**
 * Drops the open attempts for a purpose, because the patient starts over. Returns the last number. The order is locked.
 */
export async function dropOpenAttempts(
  tx: Transaction,
  key: OrderKey,
  purpose: AttemptPurpose,
  at: Date,
): Promise<number> {
  await tx
    .updateTable("card_attempts")
    .set({ state: "dropped", given: null, card: null, page_url: null, ended_at: at })
    .where(ofOrder(key))
    .where("purpose", "=", purpose)
    .where("ended_at", "is", null)
    .execute();
  const { number } = await tx
    .selectFrom("card_attempts")
    .select((row) => row.fn.max("number").as("number"))
    .where(ofOrder(key))
    .where("purpose", "=", purpose)
    .executeTakeFirstOrThrow();
  return number ?? 0;
}

/** Counts an inquiry that made no progress. */
export async function countInquiry(db: Database, attempt: CardAttempt): Promise<void> {
  await db.updateTable("card_attempts").set({ inquiries: sql`inquiries + 1` }).where(byId(attempt)).execute();
}

const ofOrder = ({ providerId, orderId }: OrderKey) =>
  sql<boolean>`provider_id = ${providerId} and order_id = ${orderId}`;
const byId = ({ id, ...key }: OrderKey & { readonly id: string }) => sql<boolean>`${ofOrder(key)} and id = ${id}`;

/** The table has separate columns for the states of registrations and of authentications. */
const STATE_COLUMNS = {
  registration: { calling: "registering", at_page: "at_page", succeeded: "registered" },
  authentication: { calling: "authenticating", at_page: "challenged", succeeded: "proven" },
} as const;

function stateColumn(purpose: AttemptPurpose, state: CardAttempt["state"]): CardAttemptsRow["state"] {
  if (state !== "calling" && state !== "at_page" && state !== "succeeded") return state;
  return STATE_COLUMNS[purpose === "payment" || purpose === "card_change" ? "registration" : "authentication"][state];
}

function stateOf(column: CardAttemptsRow["state"]): CardAttempt["state"] {
  switch (column) {
    case "registering":
    case "authenticating":
      return "calling";
    case "challenged":
      return "at_page";
    case "registered":
    case "proven":
      return "succeeded";
    default:
      return column;
  }
}

function toAttempt(row: Selectable<CardAttemptsRow>): CardAttempt {
  const { page_url: url, page_expires_at: expiresAt, purpose } = row;
  const attempt = {
    providerId: row.provider_id,
    orderId: row.order_id,
    id: row.id,
    number: row.number,
    state: stateOf(row.state),
    widgetTokenId: row.widget_token_id,
    page: url === null || expiresAt === null ? null : { url, expiresAt, display: row.page_display ?? undefined },
    declineReason: row.decline_reason,
    inquiries: row.inquiries,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
  if (purpose === "payment" || purpose === "card_change")
    return { ...attempt, purpose, given: row.given as GivenWithCard | null, cardId: row.card_id };
  return {
    ...attempt,
    purpose,
    cardId: row.card_id as string,
    card: row.card as OrderCard | null,
    amount: row.amount as Clp,
    shownCharge: row.shown_charge as ShownCharge | null,
    authenticationId: row.authentication_id,
  };
}
