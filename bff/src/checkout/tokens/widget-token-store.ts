import { type InsertObject, type Selectable, sql } from "kysely";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { type Locale, type ProviderData, providerDataSchema, type UserData } from "../../contract/widget-tokens.ts";
import {
  caller,
  columnsTogether,
  type ReadColumn,
  type RowInColumn,
  readColumn,
} from "../../platform/database/read-column.ts";
import type { WidgetTokensRow } from "../../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import { MINTED_PURPOSES, type WidgetTokenPurpose } from "../widget-token.ts";

/** A stored widget token. Only the token's hash is stored. */
export interface WidgetTokenRecord {
  readonly id: string;
  readonly providerId: string;
  readonly purpose: WidgetTokenPurpose;
  readonly orderId: OrderId | null;
  readonly beneficiaryId: string | null;
  /** The patient according to the caller that minted it; not verified. */
  readonly rut: Rut | null;
  readonly userData: UserData;
  /** The sub-clinic shown to the patient, as a meta-provider named it. */
  readonly providerData: ProviderData | null;
  readonly parentOrigin: string | null;
  /** The return URL that was requested at minting. Whether it is still registered is checked when it is used. */
  readonly returnUrl: string | null;
  /** An app opens the page and may exchange messages with it. */
  readonly isNative: boolean;
  readonly locale: Locale;
  /** The patient chose the language, on this page or on another one of the same order. */
  readonly isLocaleChosen: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface NewWidgetToken extends Omit<WidgetTokenRecord, "locale" | "isLocaleChosen" | "usedAt" | "revokedAt"> {
  readonly tokenHash: string;
  /** The language, or an expression of it that may be null, unless the patient chose one for the order. */
  readonly locale: Locale | StatementPart;
}

export async function insertWidgetToken(db: Database, token: NewWidgetToken): Promise<void> {
  await db.insertInto("widget_tokens").values(newRow(token)).execute();
}

/** A token of a payment page, which is kept sealed so that its address can be sent again. */
export interface NewPaymentToken extends NewWidgetToken {
  readonly purpose: "payment";
  readonly sealedToken: string;
}

/** The stored token of a payment page. `sealed` is null after the page has ended. */
export interface PaymentToken {
  readonly sealed: string | null;
  readonly locale: Locale;
}

/** Inserts the token of an order's payment page, unless the order has one. Returns the one that is stored. */
export async function insertPaymentToken(
  db: Database,
  { sealedToken, ...token }: NewPaymentToken,
): Promise<PaymentToken> {
  const { sealed_token: sealed, locale } = await db
    .insertInto("widget_tokens")
    .values({ ...newRow(token), sealed_token: sealedToken })
    // A parameter in place of the literal would keep a prepared plan from finding the partial index.
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "order_id"])
        .where(sql<boolean>`purpose = 'payment'`)
        .doUpdateSet({ sealed_token: (row) => row.ref("widget_tokens.sealed_token") }),
    )
    .returning(["sealed_token", "locale"])
    .executeTakeFirstOrThrow();
  return { sealed, locale };
}

/** The order that a payment page is made for, and its provider, in one statement. */
export function readOrderOfPage<Order, Owner>(
  db: Database,
  order: OrderOfTokens,
  named: Pick<NamedByToken<Order, Owner, unknown>, "order" | "provider">,
): Promise<{ readonly order: Order | null; readonly provider: Owner | null }> {
  const providerId = sql`${order.providerId}::uuid`;
  const columns = {
    order: named.order({ providerId, id: sql`${order.orderId}::uuid` }),
    provider: named.provider(providerId),
  };
  return readColumn(db, columnsTogether(columns));
}

/** The token of an order's payment page, and its provider's credentials, in one statement. */
export function readPaymentToken<Credentials>(
  db: Database,
  order: OrderOfTokens,
  named: { readonly credentials: (providerId: StatementPart) => ReadColumn<Credentials> },
): Promise<{
  readonly token: PaymentToken | null;
  readonly credentials: Credentials | null;
}> {
  const providerId = sql`${order.providerId}::uuid`;
  const token: ReadColumn<PaymentToken> = {
    column: sql`(
      select json_build_object('sealed', sealed_token, 'locale', locale) from widget_tokens
      where provider_id = ${providerId} and order_id = ${order.orderId}::uuid and purpose = 'payment')`,
    read: (column) => column as PaymentToken | null,
  };
  return readColumn(db, columnsTogether({ token, credentials: named.credentials(providerId) }));
}

/** The language that the patient chose on a page of an order, as an expression; null if they chose none. */
function chosenLocaleOf({ providerId, orderId }: Pick<NewWidgetToken, "providerId" | "orderId">): StatementPart {
  return sql`(
    select locale from widget_tokens
    where provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid and locale_chosen limit 1)`;
}

function newRow(token: NewWidgetToken): InsertObject<{ widget_tokens: WidgetTokensRow }, "widget_tokens"> {
  const chosen = chosenLocaleOf(token);
  return {
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
    return_url: token.returnUrl,
    is_native: token.isNative,
    locale: sql<Locale>`coalesce(${chosen}, ${token.locale}, 'es-CL')`,
    locale_chosen: sql<boolean>`${chosen} is not null`,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    shown_at: null,
    shown_texts: "{}",
    used_at: null,
    revoked_at: null,
    sealed_token: null,
  };
}

/** A token with its order, its provider and the further data read with it. */
export interface TokenWithOrder<Order, Owner, More> {
  readonly token: WidgetTokenRecord;
  readonly order: Order | null;
  readonly provider: Owner | null;
  readonly more: More | null;
}

/** A token's columns, for columns that depend on them. */
export interface TokenColumns {
  readonly id: StatementPart;
  readonly providerId: StatementPart;
  readonly rut: StatementPart;
}

/** Reads the order and provider of a token, and further data, in the same statement. */
export interface NamedByToken<Order, Owner, More> {
  readonly order: (key: { readonly providerId: StatementPart; readonly id: StatementPart }) => ReadColumn<Order>;
  readonly provider: (id: StatementPart) => ReadColumn<Owner>;
  readonly more: (token: TokenColumns) => ReadColumn<More>;
}

/** A token by its hash, as a column of a statement. It may belong to any provider. */
export function tokenColumn<Order, Owner, More>(
  tokenHash: string,
  named: NamedByToken<Order, Owner, More>,
  condition: StatementPart = sql`true`,
): ReadColumn<TokenWithOrder<Order, Owner, More>> {
  const providerId = sql.ref("widget_tokens.provider_id");
  const order = named.order({ providerId, id: sql.ref("widget_tokens.order_id") });
  const provider = named.provider(providerId);
  const more = named.more({ id: sql.ref("widget_tokens.id"), providerId, rut: sql.ref("widget_tokens.rut") });
  return {
    column: sql`(select to_json(found) from (
      select widget_tokens.*, ${order.column} as named_order, ${provider.column} as named_provider, ${more.column} as more
      from widget_tokens where token_hash = ${tokenHash} and ${condition}) as found)`,
    read(column) {
      if (column === null) return null;
      const { named_order, named_provider, more: found, ...row } = column as TokenInColumn;
      const token = tokenInColumn(row);
      return { token, order: order.read(named_order), provider: provider.read(named_provider), more: more.read(found) };
    },
  };
}

/** The caller's own token for certain purposes, as a column of the statement that authorizes a request. */
export function callerTokenColumn<Order, Owner, More>(
  { tokenHash, purposes }: { readonly tokenHash: string; readonly purposes: readonly WidgetTokenPurpose[] },
  named: NamedByToken<Order, Owner, More>,
): ReadColumn<TokenWithOrder<Order, Owner, More>> {
  return tokenColumn(tokenHash, named, sql`provider_id = ${caller.providerId} and purpose = any(${purposes}::text[])`);
}

export async function readToken<Order, Owner, More>(
  db: Database,
  tokenHash: string,
  named: NamedByToken<Order, Owner, More>,
): Promise<TokenWithOrder<Order, Owner, More> | null> {
  return readColumn(db, tokenColumn(tokenHash, named));
}

/** The hashes among these that belong to a token. */
export async function readExisting(db: Database, tokenHashes: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("widget_tokens")
    .select("token_hash")
    .where("token_hash", "in", [...tokenHashes])
    .execute();
  return rows.map(({ token_hash }) => token_hash);
}

type TokenRow = Selectable<WidgetTokensRow>;
type TokenInColumn = RowInColumn<TokenRow> & {
  readonly named_order: unknown;
  readonly named_provider: unknown;
  readonly more: unknown;
};

function tokenInColumn(row: RowInColumn<TokenRow>): WidgetTokenRecord {
  const { id, purpose, rut, locale } = row;
  const [createdAt, expiresAt] = [new Date(row.created_at), new Date(row.expires_at)];
  // A payment page ends when its token is deleted, whether or not the order's other links were used.
  const isUsed = row.used_at !== null && row.sealed_token === null;
  const usedAt = isUsed ? new Date(row.used_at ?? "") : null;
  return {
    id,
    purpose,
    rut,
    locale,
    isLocaleChosen: row.locale_chosen,
    providerId: row.provider_id,
    orderId: row.order_id,
    beneficiaryId: row.beneficiary_id,
    userData: row.user_data,
    providerData: providerDataSchema.safeParse(row.provider_data).data ?? null,
    parentOrigin: row.parent_origin,
    returnUrl: row.return_url,
    isNative: row.is_native,
    createdAt,
    expiresAt,
    usedAt,
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  };
}

/**
 * Records that the page of a token and these texts, by their hashes, are shown at `at`. Earlier records stay. Returns
 * when the page was first shown.
 */
export async function writeShown(db: Database, id: string, texts: readonly string[], at: Date): Promise<Date> {
  const shown = JSON.stringify(Object.fromEntries(texts.map((sha256) => [sha256, at.toISOString()])));
  const row = await db
    .updateTable("widget_tokens")
    .set({
      shown_at: sql<Date>`coalesce(shown_at, ${at})`,
      shown_texts: sql`${shown}::jsonb || shown_texts`,
    })
    .where("id", "=", id)
    .returning("shown_at")
    .executeTakeFirst();
  return row?.shown_at ?? at;
}

/** Records the language that the patient chose on a page, for all pages of its order. */
export async function writeLocale(
  db: Database,
  { id, providerId, orderId }: Pick<WidgetTokenRecord, "id" | "providerId" | "orderId">,
  locale: Locale,
): Promise<void> {
  await sql`
    update widget_tokens set locale = ${locale}, locale_chosen = true
    where id = ${id}::uuid or (provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid)`.execute(db);
}

export async function writePatient(tx: Transaction, id: string, beneficiaryId: string): Promise<void> {
  await tx.updateTable("widget_tokens").set({ beneficiary_id: beneficiaryId }).where("id", "=", id).execute();
}

export async function deleteProofs(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx
    .updateTable("widget_tokens")
    .set({ beneficiary_id: null })
    .where("beneficiary_id", "=", beneficiaryId)
    .where("purpose", "in", [...MINTED_PURPOSES])
    .execute();
}

export async function readIsPatientOfOrder(
  db: Database,
  { providerId, orderId }: { readonly providerId: string; readonly orderId: OrderId },
  beneficiaryId: string,
): Promise<boolean> {
  const row = await tokensOfOrder(db, { providerId, orderId })
    .where("beneficiary_id", "=", beneficiaryId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Selects the token ids of a visit: one token, or all that were minted for an order. */
export function selectVisits(of: ShownPages): StatementPart {
  const ofOrder = "id" in of ? sql`` : sql`and purpose = any(${[...MINTED_PURPOSES]}::text[])`;
  return sql`select id from widget_tokens where ${conditionOf(of)} ${ofOrder}`;
}

/** Records the patient whose identity was proved in a token's visit, if the CTE `source` has a row. */
export function patientWrittenWith(source: string, id: string, beneficiaryId: string): StatementPart {
  return sql`
    visited as (
      update widget_tokens set beneficiary_id = ${beneficiaryId}::uuid
      where id = ${id}::uuid and exists (select from ${sql.table(source)})
    )`;
}

function tokensOfOrder(db: Database, order: { readonly providerId: string; readonly orderId: OrderId }) {
  return db
    .selectFrom("widget_tokens")
    .select("id")
    .where("provider_id", "=", order.providerId)
    .where("order_id", "=", order.orderId)
    .where("purpose", "in", [...MINTED_PURPOSES]);
}

interface OrderOfTokens {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** The page of one token, or the pages of all tokens of an order. */
export type ShownPages = { readonly id: string } | OrderOfTokens;

/** The texts that these pages showed, with the columns `sha256`, `shown_at` and `embedding_origin`. */
export function selectShownTexts(of: ShownPages): StatementPart {
  return sql`
    select shown.key as sha256, shown.value::timestamptz as shown_at, parent_origin as embedding_origin
    from widget_tokens cross join lateral jsonb_each_text(shown_texts) as shown
    where ${conditionOf(of)}`;
}

function conditionOf(of: ShownPages): StatementPart {
  return "id" in of
    ? sql`id = ${of.id}::uuid`
    : sql`provider_id = ${of.providerId}::uuid and order_id = ${of.orderId}::uuid`;
}

/** Whether the page of a live checkout of an order was shown. */
export async function readIsShown(db: Database, { providerId, orderId }: OrderOfTokens, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom("widget_tokens")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("purpose", "=", "checkout")
    .where("shown_at", "is not", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** An order's newest opened token. */
export async function readShown(
  db: Database,
  { providerId, orderId }: OrderOfTokens,
): Promise<WidgetTokenRecord | null> {
  const { rows } = await sql<{ found: RowInColumn<TokenRow> }>`
    select to_json(widget_tokens) as found from widget_tokens
    where provider_id = ${providerId} and order_id = ${orderId} and shown_at is not null
    order by shown_at desc
    limit 1`.execute(db);
  return rows[0] === undefined ? null : tokenInColumn(rows[0].found);
}

/**
 * Uses up a token. Returns whether it was unused; of two concurrent calls only one gets true. The token of a payment
 * page is not used up: its page has several actions.
 */
export async function spendOne(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("widget_tokens")
    .set({ used_at: sql<Date | null>`case when sealed_token is null then ${at} else used_at end` })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .where((token) => token.or([token("used_at", "is", null), token("sealed_token", "is not", null)]))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Revokes a token; a repeat keeps the first moment. Returns false if it was used. */
export async function revokeOne(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("widget_tokens")
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${at})` })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Uses up all tokens minted for an order, except that of its payment page. */
export async function spendAllOfOrder(tx: Transaction, order: SpentOrder): Promise<void> {
  const { providerId, orderId, at } = order;
  await sql`
    update widget_tokens set used_at = ${at}
    where provider_id = ${providerId} and order_id = ${orderId} and used_at is null and revoked_at is null
      and sealed_token is null`.execute(tx);
}

interface SpentOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly at: Date;
}

/**
 * Removes personal data from at most `limit` tokens that ended before a moment. Returns the number of changed tokens.
 */
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
      order by coalesce(used_at, expires_at)
      limit ${limit}
      for update skip locked
    )`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
