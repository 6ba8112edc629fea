import { type Selectable, sql } from "kysely";
import type { DeclineReason } from "../contract/errors.ts";
import type { CardRegistrationsRow } from "../platform/database/tables.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { CardRegistration, GivenWithCard, RegistrationPurpose } from "./card-registration.ts";
import type { OrderKey } from "./order-store.ts";

export type NewRegistration = Pick<
  CardRegistration,
  "providerId" | "orderId" | "id" | "purpose" | "number" | "widgetTokenId" | "given" | "page" | "startedAt"
>;

/** Stores that a card is about to be registered. Violates `card_registrations_one_open` while another one is open. */
export async function insertRegistration(tx: Transaction, begun: NewRegistration): Promise<CardRegistration> {
  const row = await tx
    .insertInto("card_registrations")
    .values({
      provider_id: begun.providerId,
      order_id: begun.orderId,
      id: begun.id,
      purpose: begun.purpose,
      number: begun.number,
      state: begun.page === null ? "registering" : "at_page",
      widget_token_id: begun.widgetTokenId,
      given: begun.given === null ? null : JSON.stringify(begun.given),
      page_url: begun.page?.url ?? null,
      page_expires_at: begun.page?.expiresAt ?? null,
      started_at: begun.startedAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toRegistration(row);
}

/** The last one of an order for a purpose; with `widgetTokenId`, of those that this link began. */
export async function lastRegistration(
  db: Database,
  { providerId, orderId }: OrderKey,
  { purpose, widgetTokenId }: { readonly purpose: RegistrationPurpose; readonly widgetTokenId?: string },
): Promise<CardRegistration | null> {
  let query = db
    .selectFrom("card_registrations")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("purpose", "=", purpose);
  if (widgetTokenId !== undefined) query = query.where("widget_token_id", "=", widgetTokenId);
  const row = await query.orderBy("number", "desc").limit(1).executeTakeFirst();
  return row === undefined ? null : toRegistration(row);
}

/** One whose id a timer or a request has: none is ever deleted. */
export async function requireRegistration(db: Database, key: OrderKey, id: string): Promise<CardRegistration> {
  return toRegistration(await registrationById(db, key, id).executeTakeFirstOrThrow());
}

/** One by its id; null if the order has none with it. */
export async function findRegistration(db: Database, key: OrderKey, id: string): Promise<CardRegistration | null> {
  const row = await registrationById(db, key, id).executeTakeFirst();
  return row === undefined ? null : toRegistration(row);
}

function registrationById(db: Database, { providerId, orderId }: OrderKey, id: string) {
  return db
    .selectFrom("card_registrations")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id);
}

/** What an answer changes. All but the page ends it, and removes what is needed no longer. */
export type RegistrationStep =
  | { readonly state: "at_page"; readonly page: NonNullable<CardRegistration["page"]> }
  | { readonly state: "registered"; readonly cardId: string }
  | { readonly state: "expires_too_soon" | "dropped"; readonly cardId: string | null }
  | { readonly state: "declined"; readonly reason: DeclineReason }
  | { readonly state: "abandoned" };

/** Stores a step of an open one. Returns null if it was not open any more. The order is locked. */
export async function writeRegistration(
  tx: Database,
  { providerId, orderId, id }: CardRegistration,
  step: RegistrationStep,
  at: Date,
): Promise<CardRegistration | null> {
  const row = await tx
    .updateTable("card_registrations")
    .set({
      state: step.state,
      ...(step.state === "at_page"
        ? { page_url: step.page.url, page_expires_at: step.page.expiresAt, inquiries: 0 }
        : { given: null, page_url: null, ended_at: at }),
      ...("cardId" in step && { card_id: step.cardId }),
      ...(step.state === "declined" && { decline_reason: step.reason }),
    })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toRegistration(row);
}

/** Keeps what the patient gave with their last press. The order is locked. */
export async function writeGiven(
  tx: Transaction,
  { providerId, orderId, id }: CardRegistration,
  given: GivenWithCard | null,
): Promise<void> {
  await tx
    .updateTable("card_registrations")
    .set({ given: given === null ? null : JSON.stringify(given) })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}

/** Drops what is open for a purpose, because the patient begins anew. The order is locked. */
export async function dropOpenRegistrations(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  purpose: RegistrationPurpose,
  at: Date,
): Promise<void> {
  await tx
    .updateTable("card_registrations")
    .set({ state: "dropped", given: null, page_url: null, ended_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("purpose", "=", purpose)
    .where("ended_at", "is", null)
    .execute();
}

/** Counts an inquiry that brought nothing new. */
export async function countRegistrationInquiry(
  db: Database,
  { providerId, orderId, id }: CardRegistration,
): Promise<void> {
  await db
    .updateTable("card_registrations")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .execute();
}

function toRegistration(row: Selectable<CardRegistrationsRow>): CardRegistration {
  const { page_url: url, page_expires_at: expiresAt } = row;
  return {
    providerId: row.provider_id,
    orderId: row.order_id,
    id: row.id,
    purpose: row.purpose,
    number: row.number,
    state: row.state,
    widgetTokenId: row.widget_token_id,
    given: row.given as GivenWithCard | null,
    page: url === null || expiresAt === null ? null : { url, expiresAt },
    cardId: row.card_id,
    declineReason: row.decline_reason,
    inquiries: row.inquiries,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
