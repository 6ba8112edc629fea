import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import type { OrderKey } from "../order-store.ts";

/** A request to remove a card at the processor. */
export interface CardRemoval extends OrderKey {
  readonly id: string;
  readonly cardId: string;
}

/** Records which cards must be removed. Returns those that were not recorded yet. */
export async function insertRemovals(
  tx: Transaction,
  removals: readonly CardRemoval[],
  at: Date,
): Promise<readonly string[]> {
  if (removals.length === 0) return [];
  const rows = await tx
    .insertInto("card_removals")
    .values(
      removals.map(({ providerId, orderId, id, cardId }) => ({
        provider_id: providerId,
        order_id: orderId,
        id,
        state: "removing" as const,
        card_id: cardId,
        asked_at: at,
        removed_at: null,
      })),
    )
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id", "id"]).doNothing())
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** A removal that the processor has not confirmed; null if there is none. */
export async function findRemoval(db: Database, key: OrderKey, id: string): Promise<CardRemoval | null> {
  const row = await db
    .selectFrom("card_removals")
    .select("card_id")
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .executeTakeFirst();
  // The id is deleted when the card is removed.
  if (row?.card_id == null) return null;
  return { providerId: key.providerId, orderId: key.orderId, id, cardId: row.card_id };
}

/** Records that the processor has removed the card. The first time of confirmation stays. */
export async function writeCardRemoved(
  tx: Transaction,
  { providerId, orderId, id }: CardRemoval,
  at: Date,
): Promise<void> {
  await tx
    .updateTable("card_removals")
    .set({ state: "removed", card_id: null, removed_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .where("state", "=", "removing")
    .execute();
}

/** Deletes a removal: the card is needed again, or the processor cannot remove it. */
export async function deleteRemoval(tx: Database, { providerId, orderId, id }: CardRemoval): Promise<void> {
  await tx
    .deleteFrom("card_removals")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .execute();
}

/** Counts an inquiry without an answer. Returns how many there were before. */
export async function countRemovalInquiry(db: Database, { providerId, orderId, id }: CardRemoval): Promise<number> {
  const row = await db
    .updateTable("card_removals")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .returning(sql<number>`inquiries - 1`.as("before"))
    .executeTakeFirst();
  return row?.before ?? 0;
}

/** Whether a request to save this card is still open. */
export async function isBeingSaved(db: Database, { providerId, orderId, cardId }: CardRemoval): Promise<boolean> {
  const { rows } = await sql`select 1 from saved_cards where provider_id = ${providerId} and order_id = ${orderId}
    and card_id = ${cardId} and stored_card_id is null`.execute(db);
  return rows.length > 0;
}

/** The orders (`provider_id, order_id`) among these that have a card. */
export async function selectOrdersWithCards(tx: Transaction, orders: RawBuilder<unknown>): Promise<OrderKey[]> {
  const { rows } = await sql<OrderKey>`
    select provider_id as "providerId", id as "orderId" from orders
    where (provider_id, id) in (${orders}) and card is not null
    order by provider_id, id`.execute(tx);
  return rows;
}

/** Removals that the processor has not confirmed. */
export const unansweredRemovals: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, asked_at as since,
    jsonb_build_object('of', 'card_removal') as facts
  from card_removals where state = 'removing' and inquiries > 0`;
