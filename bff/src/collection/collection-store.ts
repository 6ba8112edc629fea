import { type RawBuilder, type Selectable, sql } from "kysely";
import type { DeclineCause } from "../contract/errors.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { type ReadColumn, type RowInColumn, rowInColumn } from "../platform/database/read-column.ts";
import type { CollectionAttemptsRow, CollectionsRow } from "../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { AnnouncedBy, BlockedAnnouncement, ChargeAnnouncement } from "./charge/announcement.ts";
import {
  type CollectionAttempt,
  type CollectionCard,
  type CollectionKey,
  CollectionMissing,
  type CollectionRecord,
  type CollectionState,
  type FailureReason,
  type Trigger,
  type TriggerReason,
} from "./collection.ts";

/** Inserts an order's collection unless it has one. Returns whether it was inserted. */
export async function insertCollection(
  tx: Database,
  { providerId, orderId, paidAt, dueAt }: CollectionKey & { readonly paidAt: Date; readonly dueAt: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto("collections")
    .values({
      provider_id: providerId,
      order_id: orderId,
      state: "scheduled",
      paid_at: paidAt,
      due_at: dueAt,
      card: null,
      series_from: null,
      failure: null,
      announced_for: null,
      announced_amount: null,
      announced_by: null,
      announced_at: null,
      blocked_announced_for: null,
      blocked_announced_amount: null,
      blocked_announced_at: null,
      updated_at: paidAt,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Reads a collection; null if the order was never paid. */
export async function readCollection(db: Database, key: CollectionKey): Promise<CollectionRecord | null> {
  const order = { providerId: sql`${key.providerId}`, orderId: sql`${key.orderId}` };
  const { rows } = await sql<CollectionWithParts>`${selectCollection(order)}`.execute(db);
  return rows[0] === undefined ? null : toCollection(rows[0]);
}

/** The collection of an order as a column of a statement. */
export function collectionColumn(key: {
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
}): ReadColumn<CollectionRecord> {
  return {
    column: sql`(select to_json(found) from (${selectCollection(key)}) as found)`,
    read: (column) =>
      column === null
        ? null
        : toCollection(
            rowInColumn<CollectionWithParts>(column as RowInColumn<CollectionWithParts>, COLLECTION_MOMENTS),
          ),
  };
}

const COLLECTION_MOMENTS = [
  "paid_at",
  "due_at",
  "series_from",
  "updated_at",
  "announced_for",
  "announced_at",
  "blocked_announced_for",
  "blocked_announced_at",
  "revoked_at",
  "card_given_at",
  "triggered_at",
] as const;

function selectCollection(key: { readonly providerId: StatementPart; readonly orderId: StatementPart }) {
  return sql`
    select c.*, t.reason, t.evidence, t.at as triggered_at,
      u.authentication_id as card_authentication_id, u.network_transaction_id as card_network_transaction_id,
      u.ended_at as card_given_at,
      coalesce((select json_agg(a order by a.started_at, a.id) from collection_attempts a
        where a.provider_id = c.provider_id and a.order_id = c.order_id), '[]') as attempts
    from collections c
    left join collection_triggers t on t.provider_id = c.provider_id and t.order_id = c.order_id
    left join lateral (select a.authentication_id, a.network_transaction_id, a.ended_at from card_attempts a
      where a.provider_id = c.provider_id and a.order_id = c.order_id and a.purpose = 'new_card' and a.state = 'proven'
        and a.card_id = c.card ->> 'id' order by a.number desc limit 1) u on true
    where c.provider_id = ${key.providerId} and c.order_id = ${key.orderId}`;
}

/**
 * Locks a collection and reads it. To avoid deadlocks, a caller that also locks the order must lock the order first.
 */
export async function lockCollection(tx: Transaction, key: CollectionKey): Promise<CollectionRecord | null> {
  // Two statements, because one that waits for the lock still reads the other tables as of its start.
  await sql`
    select 1 from collections where provider_id = ${key.providerId} and order_id = ${key.orderId} for update
  `.execute(tx);
  return readCollection(tx, key);
}

/** Locks a collection that must exist, as `lockCollection` does. Throws `CollectionMissing`. */
export async function requireCollection(tx: Transaction, key: CollectionKey): Promise<CollectionRecord> {
  const collection = await lockCollection(tx, key);
  if (collection === null)
    throw new CollectionMissing("Collection not found (data integrity error: another row refers to it).");
  return collection;
}

export interface DueOrders {
  readonly providerIds: readonly string[];
  readonly orderIds: readonly OrderId[];
  readonly before: Date;
}

/** The later charge of an order at a moment. */
export interface DueAt {
  /** When it became due, or due again after a chargeback; null if it has not. */
  readonly dueAt: Date | null;
  /** A chargeback of the order waits for an operator. */
  readonly isDisputed: boolean;
}

/** The later charges of these orders before a moment, by order. */
export async function selectDueAt(
  db: Database,
  { providerIds, orderIds, before }: DueOrders,
): Promise<Map<OrderId, DueAt>> {
  const { rows } = await sql<{ order_id: OrderId; due_at: Date | null; is_disputed: boolean }>`
    select c.order_id, greatest(max(t.at), max(b.released_at) filter (where b.released_at < ${before})) as due_at,
      coalesce(bool_or(b.noted_at < ${before} and (b.released_at is null or b.released_at >= ${before})), false)
        as is_disputed
    from collections c
      left join collection_triggers t on t.provider_id = c.provider_id and t.order_id = c.order_id and t.at < ${before}
      left join chargebacks b on b.provider_id = c.provider_id and b.order_id = c.order_id
    where c.provider_id = any(${[...providerIds]}::uuid[]) and c.order_id = any(${[...orderIds]}::uuid[])
    group by c.provider_id, c.order_id
  `.execute(db);
  return new Map(rows.map((row) => [row.order_id, { dueAt: row.due_at, isDisputed: row.is_disputed }]));
}

/** Stores a trigger if the collection has none. Returns whether it was stored. */
export async function insertTrigger(tx: Database, key: CollectionKey, trigger: Trigger): Promise<boolean> {
  const result = await tx
    .insertInto("collection_triggers")
    .values({
      provider_id: key.providerId,
      order_id: key.orderId,
      reason: trigger.reason,
      evidence: JSON.stringify(trigger.evidence),
      at: trigger.at,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/**
 * The changeable fields of a locked collection. `dueAt` is set only with `scheduled`, `failure` only with `failed` and
 * `stopped`.
 */
export interface CollectionChanges {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly failure: FailureReason | null;
  readonly card?: CollectionCard;
  readonly seriesFrom?: Date;
}

export async function updateCollection(
  tx: Transaction,
  key: CollectionKey,
  { state, dueAt, failure, card, seriesFrom }: CollectionChanges,
  at: Date,
): Promise<void> {
  await tx
    .updateTable("collections")
    .set({
      state,
      due_at: dueAt,
      failure,
      updated_at: at,
      ...(card === undefined ? {} : { card: JSON.stringify(card) }),
      ...(seriesFrom === undefined ? {} : { series_from: seriesFrom }),
    })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .execute();
}

/** Records that the mandate to charge a card was revoked. */
export async function writeRevoked(tx: Transaction, key: CollectionKey, cardId: string, at: Date): Promise<void> {
  await tx
    .updateTable("collections")
    .set({ revoked_card_id: cardId, revoked_at: at, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .execute();
}

/** Records the announcement of the next charge by mandate. The collection is locked. */
export async function writeAnnouncement(
  tx: Transaction,
  key: CollectionKey,
  { chargeAt, amount, by, notifiedAt }: ChargeAnnouncement,
): Promise<void> {
  await tx
    .updateTable("collections")
    .set({ announced_for: chargeAt, announced_amount: amount, announced_by: by, announced_at: notifiedAt })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .execute();
}

/** Records that the notification of the charge at `chargeAt` is stored, unless another announcement has replaced it. */
export async function writeNotified(
  tx: Transaction,
  key: CollectionKey,
  { chargeAt, at }: { readonly chargeAt: Date; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("collections")
    .set({ announced_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("announced_for", "=", chargeAt)
    .where("announced_by", "=", "notification")
    .execute();
}

/** Records the announcement of the charge to be made if access to the insurer stays blocked. */
export async function writeBlockedAnnouncement(
  tx: Transaction,
  key: CollectionKey,
  { chargeAt, amount, notifiedAt }: BlockedAnnouncement,
): Promise<void> {
  await tx
    .updateTable("collections")
    .set({ blocked_announced_for: chargeAt, blocked_announced_amount: amount, blocked_announced_at: notifiedAt })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .execute();
}

/** Inserts an attempt before its call. Violates `collection_attempts_one_open` while another attempt is open. */
export async function insertAttempt(
  tx: Transaction,
  key: CollectionKey,
  attempt: Pick<
    CollectionAttempt,
    "id" | "initiator" | "cardId" | "connector" | "authenticationId" | "initialNetworkTransactionId"
  >,
  at: Date,
): Promise<void> {
  await tx
    .insertInto("collection_attempts")
    .values({
      provider_id: key.providerId,
      order_id: key.orderId,
      id: attempt.id,
      initiator: attempt.initiator,
      state: "charging",
      card_id: attempt.cardId,
      connector: attempt.connector,
      authentication_id: attempt.authenticationId,
      initial_network_transaction_id: attempt.initialNetworkTransactionId,
      decline_reason: null,
      hard: false,
      inquiries: 0,
      started_at: at,
      called_at: null,
      settled_at: null,
    })
    .execute();
}

/** Records the connector that takes an attempt's call. */
export async function writeConnector(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  { id, connector }: { readonly id: string; readonly connector: string },
): Promise<void> {
  await tx
    .updateTable("collection_attempts")
    .set({ connector })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("id", "=", id)
    .execute();
}

/** Ends an open attempt. */
export async function settleAttempt(
  tx: Transaction,
  key: CollectionKey,
  id: string,
  ended:
    | { readonly state: "captured" | "not_made" }
    | ({ readonly state: "declined"; readonly hard: boolean } & DeclineCause),
  at: Date,
): Promise<void> {
  await tx
    .updateTable("collection_attempts")
    .set({
      state: ended.state,
      ...(ended.state === "declined"
        ? { decline_reason: ended.reason, decline_limit: ended.limit ?? null, hard: ended.hard }
        : {}),
      settled_at: at,
    })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .execute();
}

/** Records that an attempt's call that never arrived is repeated at `at`. */
export async function writeCallRepeated(tx: Transaction, key: CollectionKey, id: string, at: Date): Promise<void> {
  await tx
    .updateTable("collection_attempts")
    .set({ called_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .execute();
}

/** Counts an inquiry without an outcome. Returns the number so far. */
export async function countInquiry(db: Database, key: CollectionKey, id: string): Promise<number> {
  const row = await db
    .updateTable("collection_attempts")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", id)
    .returning("inquiries")
    .executeTakeFirst();
  return row?.inquiries ?? 0;
}

/**
 * A provider's collections with a lost or late timer: their due time passed before `dueBefore`, or their attempt has
 * had no outcome since then.
 */
export async function selectOverdue(
  db: Database,
  { providerId, dueBefore, limit }: { providerId: string; dueBefore: Date; limit: number },
): Promise<(CollectionKey & { seriesFrom: Date | null; isTriggered: boolean })[]> {
  const rows = await db
    .selectFrom("collections as c")
    .leftJoin("collection_triggers as t", (join) =>
      join.onRef("t.provider_id", "=", "c.provider_id").onRef("t.order_id", "=", "c.order_id"),
    )
    .select(["c.order_id", "c.series_from", "c.state", "t.reason"])
    .where("c.provider_id", "=", providerId)
    .where((where) =>
      where.or([
        where.and([where("state", "=", "scheduled"), where("due_at", "<", dueBefore)]),
        where.and([where("state", "=", "processing"), where("updated_at", "<", dueBefore)]),
      ]),
    )
    .orderBy("c.updated_at")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    providerId,
    orderId: row.order_id,
    seriesFrom: row.series_from,
    // A charge in progress without a trigger was requested by the patient. Its outcome is inquired about in the same
    // way.
    isTriggered: row.reason !== null || row.state === "processing",
  }));
}

type Aggregated<Row> = { [Column in keyof Row]: Row[Column] extends Date ? string : Row[Column] };
type CollectionWithParts = Selectable<CollectionsRow> & {
  card_authentication_id: string | null;
  card_network_transaction_id: string | null;
  card_given_at: Date | null;
  reason: TriggerReason | null;
  evidence: object | null;
  triggered_at: Date | null;
  attempts: Aggregated<Selectable<CollectionAttemptsRow>>[];
};

function toCollection(row: CollectionWithParts): CollectionRecord {
  const { reason, evidence, triggered_at: at } = row;
  return {
    providerId: row.provider_id,
    orderId: row.order_id,
    state: row.state,
    paidAt: row.paid_at,
    dueAt: row.due_at,
    card: row.card as CollectionCard | null,
    cardAuthenticationId: row.card_authentication_id,
    cardNetworkTransactionId: row.card_network_transaction_id,
    cardGivenAt: row.card_given_at,
    seriesFrom: row.series_from,
    failure: row.failure as FailureReason | null,
    announcement: announcementOf(row),
    blockedAnnouncement: blockedAnnouncementOf(row),
    revokedCardId: row.revoked_card_id,
    revokedAt: row.revoked_at,
    trigger: reason === null || at === null ? null : { reason, evidence: evidence ?? {}, at },
    attempts: row.attempts.map((attempt) => ({
      id: attempt.id,
      initiator: attempt.initiator,
      state: attempt.state,
      cardId: attempt.card_id,
      connector: attempt.connector,
      authenticationId: attempt.authentication_id,
      initialNetworkTransactionId: attempt.initial_network_transaction_id,
      declineReason: attempt.decline_reason,
      declineLimit: attempt.decline_limit,
      hard: attempt.hard,
      inquiries: attempt.inquiries,
      startedAt: new Date(attempt.started_at),
      calledAt: new Date(attempt.called_at ?? attempt.started_at),
    })),
  };
}

function blockedAnnouncementOf(row: CollectionWithParts): BlockedAnnouncement | null {
  const { blocked_announced_for: chargeAt, blocked_announced_amount: amount, blocked_announced_at: notifiedAt } = row;
  // A constraint ensures that all three are set, or none.
  return chargeAt === null || amount === null || notifiedAt === null
    ? null
    : { chargeAt, amount: clp(amount), notifiedAt };
}

function announcementOf(row: CollectionWithParts): ChargeAnnouncement | null {
  const { announced_for: chargeAt, announced_amount: amount, announced_at: notifiedAt } = row;
  if (chargeAt === null) return null;
  return {
    chargeAt,
    amount: amount === null ? null : clp(amount),
    by: row.announced_by as AnnouncedBy,
    notifiedAt: notifiedAt,
  };
}

/** Erases the insurer's payment from the triggers of these orders (`provider_id, order_id`). */
export async function eraseReimbursedEvidence(tx: Transaction, orders: RawBuilder<unknown>): Promise<void> {
  await sql`update collection_triggers set evidence = evidence - 'reimbursed'
    where (provider_id, order_id) in (${orders})`.execute(tx);
}
