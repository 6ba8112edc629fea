import { type RawBuilder, type Selectable, sql } from "kysely";
import type { CardBrand } from "../../contract/orders.ts";
import type { CardExpiry } from "../../contract/vocabulary/card.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { SavedCardsRow } from "../../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";

/** A card that its patient asked to save for later orders. */
export interface SavedCardRecord extends CardExpiry {
  readonly id: string;
  readonly beneficiaryId: string;
  /** The order with which it was saved. */
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The processor's id of the order's own card. */
  readonly cardId: string;
  /** The processor's id of the saved card; null until it has answered. */
  readonly storedCardId: string | null;
  readonly brand: CardBrand;
  readonly last4: string;
  /** `asked`: its order is not paid. `saving`, `removing`: a request to the processor is open. */
  readonly state: "asked" | "saving" | "saved" | "removing";
  readonly savedAt: Date | null;
}

/** A card that the processor keeps, until it confirms the removal. */
export interface KeptCardRecord extends SavedCardRecord {
  readonly state: "saved" | "removing";
  readonly storedCardId: string;
  readonly savedAt: Date;
}

interface OrderKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

function toSavedCard(row: Selectable<SavedCardsRow>): SavedCardRecord {
  return {
    id: row.id,
    beneficiaryId: row.beneficiary_id,
    providerId: row.provider_id,
    orderId: row.order_id,
    cardId: row.card_id,
    storedCardId: row.stored_card_id,
    brand: row.brand,
    last4: row.last4,
    expMonth: row.exp_month ?? undefined,
    expYear: row.exp_year ?? undefined,
    state: row.state,
    savedAt: row.saved_at,
  };
}

/** Records that the patient of an order asks to save its card. */
export async function insertAsked(
  tx: Transaction,
  card: Omit<SavedCardRecord, "storedCardId" | "state" | "savedAt">,
  at: Date,
): Promise<void> {
  await tx
    .insertInto("saved_cards")
    .values({
      id: card.id,
      beneficiary_id: card.beneficiaryId,
      provider_id: card.providerId,
      order_id: card.orderId,
      card_id: card.cardId,
      brand: card.brand,
      last4: card.last4,
      exp_month: card.expMonth ?? null,
      exp_year: card.expYear ?? null,
      state: "asked",
      asked_at: at,
      changed_at: at,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id"]).doNothing())
    .execute();
}

/** Deletes the request to save the card of an order. */
export async function deleteAsked(tx: Transaction, { providerId, orderId }: OrderKey): Promise<void> {
  await tx
    .deleteFrom("saved_cards")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("state", "=", "asked")
    .execute();
}

/** The CTE `unasked`, which deletes the request to save an order's card, if its CTE `source` has a row. */
export function askedDeletedWith(source: string, { providerId, orderId }: OrderKey): StatementPart {
  return sql`
    unasked as (
      delete from saved_cards
      where provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid and state = 'asked'
        and exists (select from ${sql.table(source)})
    )`;
}

/**
 * Called when the order is paid. Returns its card if it is to be saved. A request is always stored together with the
 * order's card.
 */
export async function writeSaving(
  tx: Transaction,
  { providerId, orderId, at }: OrderKey & { readonly at: Date },
): Promise<SavedCardRecord | null> {
  const row = await tx
    .updateTable("saved_cards")
    .set({ state: "saving", changed_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("state", "=", "asked")
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toSavedCard(row);
}

export async function readSavedCard(db: Database, id: string): Promise<SavedCardRecord | null> {
  const row = await db.selectFrom("saved_cards").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toSavedCard(row);
}

/**
 * Records that the processor keeps the card. It is saved, unless its removal was requested; null if there is no such
 * row.
 */
export async function writeKept(
  tx: Transaction,
  id: string,
  { storedCardId, at }: { readonly storedCardId: string; readonly at: Date },
): Promise<SavedCardRecord | null> {
  const { rows } = await sql<Selectable<SavedCardsRow>>`
    update saved_cards set stored_card_id = ${storedCardId}, changed_at = ${at}, inquiries = 0, saved_at = coalesce(saved_at, ${at}),
      state = case state when 'saving' then 'saved' else state end
    where id = ${id} and stored_card_id is null returning *`.execute(tx);
  return rows[0] === undefined ? null : toSavedCard(rows[0]);
}

/** Deletes the row of a card that the processor does not keep. */
export async function deleteCard(tx: Database, id: string): Promise<void> {
  await tx.deleteFrom("saved_cards").where("id", "=", id).execute();
}

/** Counts an inquiry without an answer. Returns how many there were before. */
export async function countInquiry(db: Database, id: string): Promise<number> {
  const row = await db
    .updateTable("saved_cards")
    .set({ inquiries: sql`inquiries + 1` })
    .where("id", "=", id)
    .returning(sql<number>`inquiries - 1`.as("before"))
    .executeTakeFirst();
  return row?.before ?? 0;
}

/** The cards of a patient that the processor keeps, newest first: those in use, optionally also those to be removed. */
export async function readKeptCards(
  db: Database,
  { beneficiaryId, states }: { readonly beneficiaryId: string; readonly states: readonly KeptCardRecord["state"][] },
): Promise<KeptCardRecord[]> {
  const rows = await db
    .selectFrom("saved_cards")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "in", states)
    .where("saved_at", "is not", null)
    .orderBy("saved_at", "desc")
    .orderBy("id")
    .execute();
  // Both columns are written together, when the processor confirms that it keeps the card.
  return rows.map((row) => toSavedCard(row) as KeptCardRecord);
}

/** Updates the shown data of a saved card that its issuer has replaced. */
export async function writeShown(
  db: Database,
  { id, brand, last4, expMonth, expYear }: Pick<SavedCardRecord, "id" | "brand" | "last4" | "expMonth" | "expYear">,
): Promise<void> {
  await db
    .updateTable("saved_cards")
    .set({ brand, last4, exp_month: expMonth ?? null, exp_year: expYear ?? null })
    .where("id", "=", id)
    .execute();
}

/** Takes one or all of a patient's cards out of use. Returns those that the processor must remove. */
export async function writeRemoving(
  tx: Transaction,
  of: { readonly beneficiaryId: string; readonly id: string | null; readonly at: Date },
): Promise<SavedCardRecord[]> {
  const isNamed = sql<boolean>`(${of.id}::uuid is null or id = ${of.id})`;
  const rows = await tx
    .updateTable("saved_cards")
    .set({ state: "removing", changed_at: of.at, inquiries: 0 })
    .where("beneficiary_id", "=", of.beneficiaryId)
    .where("state", "in", ["saving", "saved"])
    .where(isNamed)
    .returningAll()
    .execute();
  // Lock cards in use first: a patient's choice locks the card and then deletes the request of the order.
  await tx
    .deleteFrom("saved_cards")
    .where("beneficiary_id", "=", of.beneficiaryId)
    .where("state", "=", "asked")
    .where(isNamed)
    .execute();
  return rows.map(toSavedCard);
}

/** Whether a card is still saved. It cannot be removed until the transaction ends. */
export async function shareSavedCard(tx: Transaction, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from saved_cards where id = ${id} and state = 'saved' for share`.execute(tx);
  return rows.length > 0;
}

/** A card that was taken off its order. */
export interface CardTakenOff extends OrderKey {
  readonly cardId: string;
}

/**
 * Takes these cards off unpaid orders for which they were chosen. An order with a payment in progress keeps its card
 * for that payment; `takeRemovedCardOff` takes it off if it is declined. Returns the cards that were taken off.
 */
export async function takeOffOrders(
  tx: Transaction,
  ids: readonly string[],
  at: Date,
): Promise<readonly CardTakenOff[]> {
  // A single statement, so that an order whose payment begins or ends meanwhile is seen in its state at that time.
  const { rows } = await sql<CardTakenOff & { isOff: boolean }>`
    update orders o set card = case o.state when 'paying' then o.card end,
      card_removed = o.state = 'paying', updated_at = ${at}
    from saved_card_uses u
    where u.saved_card_id = any(${[...ids]}::uuid[]) and o.provider_id = u.provider_id and o.id = u.order_id
      and o.state in ('awaiting_payment', 'paying') and o.card ->> 'id' = u.card_id
    returning u.provider_id as "providerId", u.order_id as "orderId", u.card_id as "cardId", o.card is null as "isOff"`.execute(
    tx,
  );
  return rows.filter(({ isOff }) => isOff);
}

/** Takes the card of an order's payment off it, if the patient has removed that card since. Returns whether it did. */
export async function takeRemovedCardOff(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("orders")
    .set({ card: null, card_removed: false, updated_at: at })
    .where("provider_id", "=", providerId)
    .where("id", "=", orderId)
    .where("state", "=", "paying")
    .where("card_removed", "=", true)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Takes the saved card off an order that awaits its payment. Returns the card's id; null if it had none. */
export async function takeSavedCardOff(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  at: Date,
): Promise<string | null> {
  const { rows } = await sql<{ card_id: string }>`
    with use as (
      delete from saved_card_uses where provider_id = ${providerId} and order_id = ${orderId} returning card_id
    )
    update orders set card = null, updated_at = ${at}
    where provider_id = ${providerId} and id = ${orderId} and state = 'awaiting_payment'
      and card ->> 'id' in (select card_id from use)
    returning (select card_id from use) as card_id`.execute(tx);
  return rows[0]?.card_id ?? null;
}

/** Records the order for which a saved card was chosen, replacing an earlier choice. */
export async function writeUse(
  tx: Transaction,
  use: OrderKey & { readonly savedCardId: string; readonly cardId: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into saved_card_uses (saved_card_id, provider_id, order_id, card_id, used_at)
    values (${use.savedCardId}, ${use.providerId}, ${use.orderId}, ${use.cardId}, ${use.at})
    on conflict (provider_id, order_id) do update
    set saved_card_id = excluded.saved_card_id, card_id = excluded.card_id, used_at = excluded.used_at`.execute(tx);
}

export interface SavedCardUse extends OrderKey {
  readonly savedCardId: string;
  readonly at: Date;
}

/** The orders for which a patient's saved cards were chosen, oldest first. */
export async function readUses(db: Database, beneficiaryId: string): Promise<SavedCardUse[]> {
  const rows = await db
    .selectFrom("saved_card_uses as use")
    .innerJoin("saved_cards as card", "card.id", "use.saved_card_id")
    .select(["use.saved_card_id", "use.provider_id", "use.order_id", "use.used_at"])
    .where("card.beneficiary_id", "=", beneficiaryId)
    .orderBy("use.used_at")
    .execute();
  return rows.map((row) => ({
    savedCardId: row.saved_card_id,
    providerId: row.provider_id,
    orderId: row.order_id,
    at: row.used_at,
  }));
}

/** The saved card that paid an order; `null` if another card did. */
export async function readCardOfOrder(
  db: Database,
  { providerId, orderId, cardId }: OrderKey & { readonly cardId: string },
): Promise<SavedCardRecord | null> {
  const row = await db
    .selectFrom("saved_card_uses as use")
    .innerJoin("saved_cards as card", "card.id", "use.saved_card_id")
    .selectAll("card")
    .where("use.provider_id", "=", providerId)
    .where("use.order_id", "=", orderId)
    .where("use.card_id", "=", cardId)
    .executeTakeFirst();
  return row === undefined ? null : toSavedCard(row);
}

/** Cards that the processor has not yet confirmed as saved or removed. */
export const unansweredCards: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, changed_at as since,
    jsonb_build_object('of', 'saved_card', 'state', state) as facts
  from saved_cards where state in ('saving', 'removing') and inquiries > 0`;
