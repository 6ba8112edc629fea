import { sql } from "kysely";
import type { CardBrand, CardKind } from "../../src/contract/orders.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/** A card that a patient enrolled at Transbank. Several orders' cards and kept cards may share it. */
export interface EnrolledUser {
  readonly id: string;
  readonly username: string;
  readonly tbkUser: string;
  readonly brand: CardBrand;
  readonly kind: CardKind;
  readonly last4: string;
  readonly authorisationCode: string | null;
  readonly enrolledAt: Date;
}

const USER_COLUMNS = sql`
  u.id, u.username, u.tbk_user as "tbkUser", u.brand, u.kind, u.last4, u.authorisation_code as "authorisationCode",
  u.enrolled_at as "enrolledAt"
`;

export async function insertUser(tx: Transaction, user: EnrolledUser): Promise<void> {
  await sql`
    insert into oneclick_users (id, username, tbk_user, brand, kind, last4, authorisation_code, enrolled_at)
    values (${user.id}::uuid, ${user.username}, ${user.tbkUser}, ${user.brand}, ${user.kind}, ${user.last4},
      ${user.authorisationCode}, ${user.enrolledAt}::timestamptz)
  `.execute(tx);
}

export async function findUser(db: Database, id: string): Promise<EnrolledUser | undefined> {
  const { rows } = await sql<EnrolledUser>`
    select ${USER_COLUMNS} from oneclick_users u where u.id = ${id}::uuid
  `.execute(db);
  return rows[0];
}

/** Brand and kind, where Transbank names them later than the enrolment. */
export async function updateUser(
  tx: Transaction,
  id: string,
  { brand, kind }: { readonly brand?: CardBrand; readonly kind?: CardKind },
): Promise<void> {
  await sql`
    update oneclick_users set brand = coalesce(${brand ?? null}, brand), kind = coalesce(${kind ?? null}, kind)
    where id = ${id}::uuid
  `.execute(tx);
}

export interface CardName {
  readonly providerId: string;
  readonly orderHash: string;
  readonly cardId: string;
}

export async function insertCard(
  tx: Transaction,
  { cardId, providerId, orderHash, userId, at }: CardName & { readonly userId: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into cards (id, provider_id, order_hash, user_id, registered_at)
    values (${cardId}::uuid, ${providerId}, ${orderHash}, ${userId}::uuid, ${at}::timestamptz)
  `.execute(tx);
}

/** The enrolled card behind an order's card; undefined if it is unknown or removed. Accepts any text. */
export async function findCard(
  tx: Database,
  { providerId, cardId, orderHash }: Omit<CardName, "orderHash"> & { readonly orderHash?: string },
): Promise<EnrolledUser | undefined> {
  const { rows } = await sql<EnrolledUser>`
    select ${USER_COLUMNS} from cards c join oneclick_users u on u.id = c.user_id
    where c.id::text = ${cardId} and c.provider_id = ${providerId} and c.removed_at is null
      and c.order_hash = coalesce(${orderHash ?? null}, c.order_hash)
  `.execute(tx);
  return rows[0];
}

/** Marks an order's card as removed; returns its enrolled card, or undefined if there was none. */
export async function removeCard(
  tx: Transaction,
  { providerId, orderHash, cardId }: CardName,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ userId: string }>`
    update cards set removed_at = ${at}::timestamptz
    where id::text = ${cardId} and provider_id = ${providerId} and order_hash = ${orderHash} and removed_at is null
    returning user_id as "userId"
  `.execute(tx);
  return rows[0]?.userId;
}

export interface KeptName {
  readonly storedCardId: string;
  readonly customer: string;
}

export async function insertKeptCard(
  tx: Transaction,
  { storedCardId, customer, userId, at }: KeptName & { readonly userId: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into kept_cards (id, customer, user_id, kept_at)
    values (${storedCardId}::uuid, ${customer}, ${userId}::uuid, ${at}::timestamptz)
  `.execute(tx);
}

export async function findKeptCard(
  tx: Transaction,
  { storedCardId, customer }: KeptName,
): Promise<EnrolledUser | undefined> {
  const { rows } = await sql<EnrolledUser>`
    select ${USER_COLUMNS} from kept_cards k join oneclick_users u on u.id = k.user_id
    where k.id::text = ${storedCardId} and k.customer = ${customer} and k.forgotten_at is null
  `.execute(tx);
  return rows[0];
}

export async function listKeptCards(
  db: Database,
  customer: string,
): Promise<readonly (EnrolledUser & { readonly storedCardId: string })[]> {
  const { rows } = await sql<EnrolledUser & { storedCardId: string }>`
    select ${USER_COLUMNS}, k.id as "storedCardId" from kept_cards k join oneclick_users u on u.id = k.user_id
    where k.customer = ${customer} and k.forgotten_at is null order by k.kept_at desc, k.id limit 100
  `.execute(db);
  return rows;
}

export async function forgetKeptCard(
  tx: Transaction,
  { storedCardId, customer }: KeptName,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ userId: string }>`
    update kept_cards set forgotten_at = ${at}::timestamptz
    where id::text = ${storedCardId} and customer = ${customer} and forgotten_at is null
    returning user_id as "userId"
  `.execute(tx);
  return rows[0]?.userId;
}

/**
 * Locks an enrolled card before its uses are counted or added to. Returns false if its deletion is being requested from
 * Transbank.
 */
export async function lockUser(tx: Transaction, userId: string): Promise<boolean> {
  const { rows } = await sql<{ released: boolean }>`
    select released_at is not null as released from oneclick_users where id = ${userId}::uuid for update
  `.execute(tx);
  return rows[0]?.released === false;
}

/** Releases an enrolled card that no order and no customer uses any more; true if this was its last use. */
export async function releaseUser(tx: Transaction, userId: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update oneclick_users set released_at = ${at}::timestamptz
    where id = ${userId}::uuid and released_at is null
      and not exists (select from cards where user_id = ${userId}::uuid and removed_at is null)
      and not exists (select from kept_cards where user_id = ${userId}::uuid and forgotten_at is null)
    returning id
  `.execute(tx);
  return rows.length > 0;
}
