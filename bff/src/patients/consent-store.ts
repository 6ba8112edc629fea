import { type RawBuilder, sql } from "kysely";
import type { ConsentText, Locale } from "../contract/widget-tokens.ts";
import type { PresentColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";

/** A text word for word as it was accepted, and the hash of the wording that the page reported as shown. */
export interface AcceptedText {
  readonly id: string;
  readonly locale: Locale;
  readonly text: ConsentText;
  readonly wordingSha256: string;
}

interface Circumstances {
  readonly providerId: string;
  readonly rut: string;
  readonly orderId: string | null;
  /**
   * The texts shown to the patient: the body of a CTE with the columns `sha256` (of the wording), `shown_at` and
   * `embedding_origin` (of the page that embeds the widget). A consent to a text not listed is stored with both null.
   */
  readonly shown: StatementPart;
  readonly acceptedAt: Date;
  readonly ip: string;
  readonly userAgent: string | null;
}

/** Inserts the texts that are not stored yet and one row per consent, in one statement. */
export async function insertConsents(
  tx: Database,
  given: readonly AcceptedText[],
  where: Circumstances,
): Promise<void> {
  await sql`with given as (select 1), ${consentsWith("given", given, where)} select 1`.execute(tx);
}

/**
 * The CTEs `shown`, `given_texts` and `accepted`, which insert consents and their texts as part of a larger statement.
 * They insert nothing if the CTE `source` has no row.
 */
export function consentsWith(
  source: string,
  given: readonly AcceptedText[],
  where: Circumstances,
): RawBuilder<unknown> {
  const column = (read: (one: AcceptedText) => string) => sql`${given.map(read)}::text[]`;
  const rows = sql`unnest(${column(({ id }) => id)}, ${column(({ locale }) => locale)},
      ${column(({ text }) => text.step)}, ${column(({ text }) => text.purpose)},
      ${column(({ text }) => text.text_version)}, ${column(({ text }) => text.text_sha256)},
      ${column(({ text }) => text.text)}, ${column(({ wordingSha256 }) => wordingSha256)})
      as one (id, locale, step, purpose, text_version, sha256, text, wording_sha256)`;
  const isAccepted = sql`exists (select from ${sql.table(source)})`;
  // Sorted by hash, so that two statements that insert the same texts cannot deadlock.
  return sql`
    shown as (${where.shown}),
    given_texts as (
      insert into consent_texts (sha256, purpose, text_version, locale, text)
      select sha256, purpose, text_version, locale, text from ${rows} where ${isAccepted}
      order by sha256
      on conflict (sha256) do nothing
    ),
    accepted as (
      insert into consents (id, provider_id, rut, order_id, step, purpose, text_sha256, shown_at, embedding_origin,
        accepted_at, ip, user_agent)
      select one.id::uuid, ${where.providerId}::uuid, ${where.rut}, ${where.orderId}::uuid, one.step, one.purpose, one.sha256,
        page.shown_at, page.embedding_origin, ${where.acceptedAt}::timestamptz, ${where.ip}, ${where.userAgent}
      from ${rows} left join lateral (
        select shown_at, embedding_origin from shown where shown.sha256 = one.wording_sha256 order by shown_at desc limit 1
      ) as page on true
      where ${isAccepted}
    )`;
}

/** A stored consent. */
export interface KeptConsent {
  readonly id: string;
  readonly orderId: string | null;
  readonly purpose: string;
  readonly text: string;
  readonly textVersion: string;
  readonly shownAt: Date | null;
  readonly acceptedAt: Date;
  readonly embeddingOrigin: string | null;
  readonly withdrawnAt: Date | null;
}

/** A patient's accepted texts, oldest first. With `providerId` null: with any provider. */
export async function readConsents(db: Database, rut: string, providerId: string | null): Promise<KeptConsent[]> {
  const rows = await db
    .selectFrom("consents")
    .innerJoin("consent_texts", "consent_texts.sha256", "consents.text_sha256")
    .select(["consents.id", "order_id", "consents.purpose", "text", "text_version"])
    .select(["shown_at", "accepted_at", "embedding_origin", "withdrawn_at"])
    .where("rut", "=", rut)
    .where(sql<boolean>`(${providerId}::uuid is null or provider_id = ${providerId})`)
    .orderBy("accepted_at")
    .orderBy("consents.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    orderId: row.order_id,
    purpose: row.purpose,
    text: row.text,
    textVersion: row.text_version,
    shownAt: row.shown_at,
    acceptedAt: row.accepted_at,
    embeddingOrigin: row.embedding_origin,
    withdrawnAt: row.withdrawn_at,
  }));
}

/** The consents of a patient with one provider or (null) with all. */
export interface ConsentsOf {
  readonly rut: string;
  readonly providerId: string | null;
}

/** Marks a patient's acceptances for these purposes as withdrawn. Returns how many were still valid. */
export async function writeWithdrawn(
  tx: Database,
  { rut, providerId, orderIds }: ConsentsOf & { readonly orderIds?: readonly string[] },
  withdrawal: { readonly purposes: readonly string[]; readonly at: Date },
): Promise<number> {
  if (orderIds?.length === 0) return 0;
  const result = await tx
    .updateTable("consents")
    .set({ withdrawn_at: withdrawal.at })
    .where("rut", "=", rut)
    .where(sql<boolean>`(${providerId}::uuid is null or provider_id = ${providerId})`)
    .where("purpose", "in", [...withdrawal.purposes])
    .where("withdrawn_at", "is", null)
    .$if(orderIds !== undefined, (query) => query.where("order_id", "in", [...(orderIds ?? [])]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Which of these purposes a patient has withdrawn and not accepted again. With `orderIds`, only for these orders. */
export async function readWithdrawnPurposes(
  db: Database,
  { rut, providerId, orderIds }: ConsentsOf & { readonly orderIds?: readonly string[] },
  purposes: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom("consents")
    .select("purpose")
    .where("rut", "=", rut)
    .where(sql<boolean>`(${providerId}::uuid is null or provider_id = ${providerId})`)
    .where("purpose", "in", [...purposes])
    .$if(orderIds !== undefined, (query) => query.where("order_id", "in", [...(orderIds ?? [])]))
    .groupBy("purpose")
    .having(sql<boolean>`bool_and(withdrawn_at is not null)`)
    .execute();
  return rows.map(({ purpose }) => purpose);
}

/**
 * Whether a patient has withdrawn one of these purposes with a provider and not accepted it again, as a column of a
 * statement. With `orderId`, only for this order. `environment` is an SQL expression; in production it includes the
 * consents of all providers, which share their patients.
 */
export function withdrawnColumn(
  { rut, providerId, orderId, environment }: WithdrawnOf,
  purposes: readonly string[],
): PresentColumn<boolean> {
  const isOfAll = environment === undefined ? sql`false` : sql`${environment} = 'production'`;
  const ofOrder = orderId === undefined ? sql`` : sql`and order_id = ${orderId}::uuid`;
  return {
    column: sql`(select coalesce(bool_or(withdrawn), false) from (
      select bool_and(withdrawn_at is not null) as withdrawn from consents
      where rut = ${rut} and (provider_id = ${providerId}::uuid or ${isOfAll})
        and purpose = any(${[...purposes]}::text[]) ${ofOrder}
      group by purpose) as purposes)`,
    read: (column) => column === true,
  };
}

interface WithdrawnOf {
  readonly rut: StatementPart;
  readonly providerId: StatementPart;
  readonly orderId?: StatementPart;
  readonly environment?: StatementPart;
}

interface LocalePerson {
  readonly rut: string;
  readonly providerId: string;
}

/** The language of the text that a patient last accepted with a provider, as an expression; null if there is none. */
export function latestLocaleOf({ rut, providerId }: LocalePerson): RawBuilder<string | null> {
  return sql`(
    select locale from consents join consent_texts on consent_texts.sha256 = consents.text_sha256
    where rut = ${rut} and provider_id = ${providerId}::uuid order by accepted_at desc limit 1)`;
}

export async function readLatestLocale(db: Database, person: LocalePerson): Promise<string | null> {
  const { rows } = await sql<{ locale: string | null }>`select ${latestLocaleOf(person)} as locale`.execute(db);
  return rows[0]?.locale ?? null;
}
