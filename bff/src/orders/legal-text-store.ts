import { type RawBuilder, sql } from "kysely";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Environment } from "../platform/provider.ts";

export interface LegalText extends LegalTextName {
  readonly locale: Locale;
  readonly text: string;
  readonly setAt: Date;
  /** Whether this version is the one shown now. */
  readonly isPresent: boolean;
}

/** Every text of an environment, by kind, the newest version first. */
export async function selectLegalTexts(db: Database, environment: Environment): Promise<LegalText[]> {
  const { rows } = await sql<Omit<LegalText, "setAt" | "isPresent"> & { set_at: Date; is_present: boolean }>`
    select kind, version, locale, text, set_at, version = (${presentVersion(sql.ref("t.kind"), environment)}) as is_present
    from legal_texts as t where environment = ${environment}
    order by kind, set_at desc, version, locale desc
  `.execute(db);
  return rows.map(({ set_at, is_present, ...row }) => ({ ...row, setAt: set_at, isPresent: is_present }));
}

/** The current version of each kind that has a text. */
export async function selectPresentNames(db: Database, environment: Environment): Promise<LegalTextName[]> {
  const { rows } = await sql<LegalTextName>`${presentNames(environment)}`.execute(db);
  return rows;
}

/** The current version of each kind that has a text, as a column of a statement. */
export function presentNamesColumn(environment: Environment): ReadColumn<readonly LegalTextName[]> {
  return {
    column: sql`(select coalesce(json_agg(present), '[]') from (${presentNames(environment)}) as present)`,
    read: (column) => column as readonly LegalTextName[] | null,
  };
}

/** A text in one of its languages. */
export type TranslatedText = Pick<LegalText, "locale" | "text">;

/** The current withdrawal in each of its languages, as a column of a statement. */
export function presentWithdrawalColumn(environment: Environment): ReadColumn<readonly TranslatedText[]> {
  return {
    column: sql`(select coalesce(json_agg(json_build_object('locale', t.locale, 'text', t.text)), '[]')
      from legal_texts as t where t.environment = ${environment} and t.kind = 'withdrawal'
        and t.version = (${presentVersion(sql`'withdrawal'`, environment)}))`,
    read: (column) => column as readonly TranslatedText[] | null,
  };
}

function presentNames(environment: Environment) {
  return sql`
    select distinct on (kind) kind, version from legal_texts
    where environment = ${environment} and locale = 'es-CL'
    order by kind, set_at desc, version`;
}

/** Texts by name in one language, or in Spanish if they have none in it. */
export async function selectNamedTexts(
  db: Database,
  names: readonly LegalTextName[],
  { environment, locale }: { readonly environment: Environment; readonly locale: Locale },
): Promise<Pick<LegalText, "kind" | "version" | "locale" | "text">[]> {
  const { rows } = await sql<Pick<LegalText, "kind" | "version" | "locale" | "text">>`
    select distinct on (t.kind) t.kind, t.version, t.locale, t.text
    from unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ version }) => version)}::text[]) as named (kind, version)
    join legal_texts as t on t.environment = ${environment} and t.kind = named.kind and t.version = named.version
    where t.locale in (${locale}, 'es-CL')
    order by t.kind, t.locale = ${locale} desc
  `.execute(db);
  return rows;
}

/** Stores a new text. Returns false if this version already has one in this language. */
export async function insertLegalText(
  db: Database,
  { environment, kind, version, locale, text, setAt }: Omit<LegalText, "isPresent"> & { environment: Environment },
): Promise<boolean> {
  const { rows } = await sql`
    insert into legal_texts (environment, kind, version, locale, text, set_at)
    values (${environment}, ${kind}, ${version}, ${locale}, ${text}, ${setAt})
    on conflict (environment, kind, version, locale) do nothing
    returning kind
  `.execute(db);
  return rows.length === 1;
}

function presentVersion(kind: RawBuilder<unknown>, environment: Environment) {
  return sql`select p.version from legal_texts as p
    where p.environment = ${environment} and p.kind = ${kind} and p.locale = 'es-CL'
    order by p.set_at desc, p.version limit 1`;
}
