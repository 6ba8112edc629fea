import { type RawBuilder, type Selectable, sql } from "kysely";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Locale, UserData } from "../../contract/widget-tokens.ts";
import type { WidgetTokensRow } from "../../platform/database/tables.ts";
import type { ColumnBeside, Database, Transaction } from "../../platform/database/transaction.ts";
import { admittedBy, loadingWith } from "../../platform/http/admission-store.ts";
import { versionStands } from "../../platform/http/principal-store.ts";
import type { LoadedAtOnce, LoadedBeside } from "../../platform/http/route.ts";
import type { WidgetTokenPurpose } from "./widget-token.ts";

/** A widget token as it is kept. The token itself is not: only whoever was given it has it. */
export interface WidgetTokenRecord {
  readonly id: string;
  readonly providerId: string;
  readonly purpose: WidgetTokenPurpose;
  readonly orderId: OrderHash | null;
  readonly beneficiaryId: string | null;
  /** Who the patient is, as the minter says; nothing proves it. */
  readonly rut: Rut | null;
  readonly userData: UserData;
  readonly parentOrigin: string | null;
  readonly locale: Locale;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly shownAt: Date | null;
  readonly usedAt: Date | null;
}

export interface NewWidgetToken extends Omit<WidgetTokenRecord, "shownAt" | "usedAt"> {
  readonly tokenHash: string;
  readonly providerData: Readonly<Record<string, unknown>> | null;
}

export async function insertWidgetToken(db: Database, token: NewWidgetToken): Promise<void> {
  await db
    .insertInto("widget_tokens")
    .values({
      id: token.id,
      token_hash: token.tokenHash,
      provider_id: token.providerId,
      purpose: token.purpose,
      order_id: token.orderId,
      beneficiary_id: token.beneficiaryId,
      rut: token.rut,
      user_data: JSON.stringify(token.userData),
      provider_data: token.providerData === null ? null : JSON.stringify(token.providerData),
      parent_origin: token.parentOrigin,
      locale: token.locale,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      shown_at: null,
      used_at: null,
    })
    .execute();
}

/** How the order is read that a token is for. */
export type NamedOrder<Order> = ColumnBeside<"providerId" | "id", Order>;

/** A token with the order that it is for. */
export interface TokenWithOrder<Order> {
  readonly token: WidgetTokenRecord;
  readonly order: Order | null;
}

export async function readTokenWithOrder<Order, Owner>(
  db: Database,
  tokenHash: string,
  named: { readonly order: NamedOrder<Order>; readonly provider: ColumnBeside<"id", Owner> },
): Promise<(TokenWithOrder<Order> & { readonly provider: Owner | null }) | null> {
  const provider = named.provider.column({ id: sql.ref("token.provider_id") });
  const { rows } = await sql<TokenRow & { provider: unknown }>`
    select token.*, ${provider} as provider from (${readingToken(tokenHash, named.order)}) as token`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...withOrder(row, named.order), provider: named.provider.read(row.provider) };
}

/**
 * The same for a provider's own token of certain purposes and a request that is let in by the same statement; `null` also
 * where the caller is not any more who it was.
 */
export async function readTokenWithOrderAtOnce<Order>(
  db: Database,
  key: {
    readonly tokenHash: string;
    readonly providerId: string;
    readonly purposes: readonly WidgetTokenPurpose[];
  },
  named: NamedOrder<Order>,
  { version, admission }: LoadedBeside,
): Promise<LoadedAtOnce<TokenWithOrder<Order>> | null> {
  const reading = sql<TokenRow>`
    ${readingToken(key.tokenHash, named)} and provider_id = ${key.providerId}
      and purpose = any(${key.purposes}::text[]) and ${versionStands(version)}`;
  const { rows } = await loadingWith(reading, admission).execute(db);
  return rows[0] === undefined ? null : { resource: withOrder(rows[0], named), admitted: admittedBy(rows[0]) };
}

type TokenRow = Selectable<WidgetTokensRow> & { readonly order_named: unknown };

function readingToken(tokenHash: string, named: NamedOrder<unknown>): RawBuilder<TokenRow> {
  const key = { providerId: sql.ref("widget_tokens.provider_id"), id: sql.ref("widget_tokens.order_id") };
  const order = named.column(key);
  return sql`select *, ${order} as order_named from widget_tokens where token_hash = ${tokenHash}`;
}

function withOrder<Order>({ order_named: order, ...row }: TokenRow, named: NamedOrder<Order>): TokenWithOrder<Order> {
  return { token: toRecord(row), order: named.read(order) };
}

/** Notes when the page of a token was first read. */
export async function writeShown(db: Database, id: string, at: Date): Promise<void> {
  await db
    .updateTable("widget_tokens")
    .set({ shown_at: at })
    .where("id", "=", id)
    .where("shown_at", "is", null)
    .execute();
}

/** The page of an order's newest token that has been read, as the body of a CTE. */
export function shownPageOfOrder(order: { readonly providerId: string; readonly orderId: OrderHash }) {
  return sql<{ embedding_origin: string | null; shown_at: Date }>`
    select parent_origin as embedding_origin, shown_at from widget_tokens
    where provider_id = ${order.providerId} and order_id = ${order.orderId} and shown_at is not null
    order by shown_at desc
    limit 1`;
}

/** Uses a token up; says whether it was still unused. Of two at once, one. */
export async function spendOne(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("widget_tokens")
    .set({ used_at: at })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Uses up all tokens that were minted for an order. */
export async function spendAllOfOrder(tx: Transaction, order: SpentOrder): Promise<void> {
  const { providerId, orderId, at } = order;
  await sql`
    update widget_tokens set used_at = ${at}
    where provider_id = ${providerId} and order_id = ${orderId} and used_at is null`.execute(tx);
}

interface SpentOrder {
  readonly providerId: string;
  readonly orderId: OrderHash;
  readonly at: Date;
}

/** Empties tokens that ended before a moment of what they hold of a person, `limit` at most. Says how many. */
export async function forgetPatients(
  db: Database,
  { endedBefore, limit }: { readonly endedBefore: Date; readonly limit: number },
): Promise<number> {
  const result = await sql`
    update widget_tokens set rut = null, user_data = '{}'::jsonb, provider_data = null
    where id in (
      select id from widget_tokens
      where coalesce(used_at, expires_at) < ${endedBefore}
        and (rut is not null or user_data <> '{}'::jsonb or provider_data is not null)
      limit ${limit}
      for update skip locked
    )`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

function toRecord(row: Selectable<WidgetTokensRow>): WidgetTokenRecord {
  const { id, purpose, rut, locale } = row;
  return {
    id,
    purpose,
    rut,
    locale,
    providerId: row.provider_id,
    orderId: row.order_id,
    beneficiaryId: row.beneficiary_id,
    userData: row.user_data,
    parentOrigin: row.parent_origin,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    shownAt: row.shown_at,
    usedAt: row.used_at,
  };
}
