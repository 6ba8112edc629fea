import { type RawBuilder, sql } from "kysely";
import type { Credential } from "../contract/endpoint.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import { parseRut } from "../contract/vocabulary/rut.ts";
import type { Appearance } from "../contract/widget-tokens.ts";
import { type ReadColumn, readColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Environment, Provider } from "../platform/provider.ts";
import type { CredentialKind } from "./credential.ts";

/** A stored credential; without the keyring no secret can be read from it. */
export interface StoredCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  /** For a webhook secret: its endpoint, or null for the provider's own secret. */
  readonly endpointId: string | null;
  /** The value of a public credential, the keyed hash of a secret one; null for a webhook secret. */
  readonly lookup: string | null;
  /** The sealed value of a webhook secret; null for other kinds. */
  readonly sealed: string | null;
  readonly hint: string;
  readonly createdAt: Date;
  /** Null if it is valid until it is rotated. */
  readonly endsAt: Date | null;
}

export async function insertProvider(tx: Transaction, provider: Provider, at: Date): Promise<void> {
  await tx
    .insertInto("providers")
    .values({
      id: provider.id,
      environment: provider.environment,
      rut: provider.rut,
      active: provider.active,
      scopes: [...provider.scopes],
      ...agreedColumns(provider),
      return_urls: [...provider.returnUrls],
      is_framed: provider.isFramed,
      clock_offset_ms: provider.clockOffsetMs,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await insertOrigins(tx, provider.id, provider.origins);
}

function agreedColumns({ name, logoUrl, appearance, supportEmail, supportPhone, supportWhatsapp, settings }: Provider) {
  return {
    name,
    logo_url: logoUrl,
    appearance: JSON.stringify(appearance),
    support_email: supportEmail,
    support_phone: supportPhone,
    support_whatsapp: supportWhatsapp,
    commission_basis_points: settings.commissionBasisPoints,
    commission_tax: JSON.stringify(settings.commissionTax),
    capture_first: settings.captureFirst,
    card_page: settings.cardPage,
    known_patients: settings.knownPatients,
    identity_trusted_days: settings.identityTrustedDays,
    takes_minors: settings.takesMinors,
    unpaid_order_expiry_minutes: settings.unpaidOrderExpiryMinutes,
  };
}

export async function insertCredential(
  tx: Transaction,
  providerId: string,
  credential: StoredCredential,
): Promise<void> {
  await tx
    .insertInto("credentials")
    .values({
      id: credential.id,
      provider_id: providerId,
      kind: credential.kind,
      lookup: credential.lookup,
      sealed: credential.sealed,
      hint: credential.hint,
      created_at: credential.createdAt,
      ends_at: credential.endsAt,
      webhook_endpoint_id: credential.endpointId,
    })
    .execute();
}

/** Reads providers with their origins in one round trip. */
function selectProvider(db: Database) {
  return db.selectFrom("providers").selectAll("providers").select(originsOfProvider.as("origins"));
}

const originsOfProvider = sql<
  string[]
>`array(select o.origin from provider_origins o where o.provider_id = providers.id order by o.position)`;

/**
 * A credential that a caller presents. `lookups` are the forms in which it may be stored: one per key of the keyring.
 */
export interface PresentedCredential {
  readonly kind: Credential;
  readonly lookups: readonly string[];
}

/** The further conditions for a credential to be accepted. */
interface CredentialUse {
  readonly environment: Environment;
  readonly at: Date;
  /** Whether to accept credentials of an inactive provider too. */
  readonly alsoInactive?: boolean;
}

/**
 * Selects the caller who presents a valid credential of this environment, or no row. Its columns are those of
 * `Admission.caller`. `also` are the further credentials that the same provider must present; null stands for a missing
 * one. The last of them names the caller, because the first may be public.
 */
export function callerWith(
  { kind, lookups }: PresentedCredential,
  { also, environment, at, alsoInactive }: CredentialUse & { readonly also: readonly (PresentedCredential | null)[] },
): StatementPart {
  const others = also.map((other) => (other === null ? sql`null::uuid` : liveCredential(other, at)));
  const are = others.map((other) => sql`${other} is not null`);
  const isComplete = are.length === 0 ? sql`true` : sql.join(are, sql` and `);
  const last = others.at(-1);
  const credentialId = last === undefined ? sql`credentials.id` : sql`coalesce(${last}, credentials.id)`;
  return sql`
    select providers.id as provider_id, ${credentialId} as credential_id, providers.scopes,
      (select to_json(found) from (select providers.*, ${originsOfProvider} as origins) as found) as provider,
      ${isComplete} as is_complete
    from credentials join providers on providers.id = credentials.provider_id
    where credentials.kind = ${kind} and credentials.lookup = any(${lookups}::text[])
      and (credentials.ends_at is null or credentials.ends_at > ${at}::timestamptz)
      and providers.environment = ${environment} and ${alsoInactive === true ? sql`true` : sql`providers.active`}`;
}

function liveCredential({ kind, lookups }: PresentedCredential, at: Date): StatementPart {
  return sql`(
    select other.id from credentials as other
    where other.provider_id = providers.id and other.kind = ${kind} and other.lookup = any(${lookups}::text[])
      and (other.ends_at is null or other.ends_at > ${at}::timestamptz)
    limit 1)`;
}

/** The provider with this valid credential; null if there is none. */
export async function findByCredential(
  db: Database,
  { kind, lookups, environment, at }: PresentedCredential & CredentialUse,
): Promise<Provider | null> {
  const presented = callerWith({ kind, lookups }, { also: [], environment, at });
  const { rows } = await sql<{ provider: unknown }>`${presented}`.execute(db);
  return rows[0] === undefined ? null : providerInColumn(rows[0].provider);
}

/** A provider with its origins as a column; `id` is an expression of the statement. */
export function providerColumn(id: StatementPart): ReadColumn<Provider> {
  return {
    column: sql`(select to_json(found) from (
      select providers.*, ${originsOfProvider} as origins from providers where providers.id = ${id}) as found)`,
    read: (column) => (column === null ? null : providerInColumn(column)),
  };
}

/** A provider's newest public credentials that are valid at `at`, as a column; null if either is missing. */
export function publicCredentialsColumn(
  providerId: StatementPart,
  at: Date,
): ReadColumn<{ readonly clientId: string; readonly publicKey: string }> {
  const newest = (kind: CredentialKind) => sql`(
    select lookup from credentials
    where provider_id = ${providerId} and kind = ${kind} and (ends_at is null or ends_at > ${at}::timestamptz)
    order by ends_at desc nulls first, created_at desc, id desc limit 1)`;
  return {
    column: sql`json_build_array(${newest("client_id")}, ${newest("public_key")})`,
    read(column) {
      const [clientId, publicKey] = (column ?? []) as readonly (string | null | undefined)[];
      return clientId == null || publicKey == null ? null : { clientId, publicKey };
    },
  };
}

/** A provider's newest public credentials that are valid at `at`; null if either is missing. */
export async function readPublicCredentials(
  db: Database,
  providerId: string,
  at: Date,
): Promise<{ readonly clientId: string; readonly publicKey: string } | null> {
  return readColumn(db, publicCredentialsColumn(sql`${providerId}::uuid`, at));
}

/** The environment of a provider, as an expression of a statement. */
export function environmentColumn(providerId: StatementPart): StatementPart {
  return sql`(select environment from providers where id = ${providerId}::uuid)`;
}

/** Parses a provider from a column made by `providerColumn` or `callerWith`. */
export function providerInColumn(column: unknown): Provider {
  return toProvider(column as Parameters<typeof toProvider>[0]);
}

export async function findProviderById(db: Database, id: string): Promise<Provider | null> {
  const row = await selectProvider(db).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toProvider(row);
}

/** All providers of an environment, or only those with a RUT, oldest first. */
export async function selectProviders(db: Database, environment: Environment, rut?: string): Promise<Provider[]> {
  const all = selectProvider(db).where("environment", "=", environment).orderBy("created_at").orderBy("id");
  const rows = await (rut === undefined ? all : all.where("rut", "=", rut)).execute();
  return rows.map(toProvider);
}

/** Whether any active provider of the environment has registered this origin. */
export async function isOriginRegistered(db: Database, origin: string, environment: Environment): Promise<boolean> {
  const row = await db
    .selectFrom("provider_origins")
    .innerJoin("providers", "providers.id", "provider_origins.provider_id")
    .select("providers.id")
    .where("origin", "=", origin)
    .where("active", "=", true)
    .where("environment", "=", environment)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the provider's origins; false if there is no such provider. */
export async function replaceOrigins(
  tx: Transaction,
  providerId: string,
  origins: readonly string[],
  at: Date,
): Promise<boolean> {
  if (!(await touchProvider(tx, providerId, { updated_at: at }))) return false;
  await tx.deleteFrom("provider_origins").where("provider_id", "=", providerId).execute();
  await insertOrigins(tx, providerId, origins);
  return true;
}

async function insertOrigins(tx: Transaction, providerId: string, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await tx
    .insertInto("provider_origins")
    .values(origins.map((origin, position) => ({ provider_id: providerId, origin, position })))
    .execute();
}

/** Moves a provider's own clock forward by so many milliseconds. */
export async function addClockOffset(
  tx: Transaction,
  { providerId, milliseconds, at }: { providerId: string; milliseconds: number; at: Date },
): Promise<void> {
  await tx
    .updateTable("providers")
    .set({ clock_offset_ms: sql<number>`clock_offset_ms + ${milliseconds}::bigint`, updated_at: at })
    .where("id", "=", providerId)
    .execute();
}

/** Locks a provider, then reads it, so that concurrent changes happen one after the other. */
export async function lockProvider(tx: Transaction, id: string): Promise<Provider | null> {
  // A single statement that had to wait for the lock could return joined rows from before the wait.
  await sql`select 1 from providers where id = ${id} for no key update`.execute(tx);
  return findProviderById(tx, id);
}

/** Stores a provider's terms and how the widget finds it. */
export async function updateProvider(tx: Transaction, provider: Provider, at: Date): Promise<void> {
  await tx
    .updateTable("providers")
    .set({ ...agreedColumns(provider), updated_at: at })
    .where("id", "=", provider.id)
    .execute();
}

/** Enables or disables a provider; false if there is no such provider. */
export async function updateActive(tx: Transaction, providerId: string, active: boolean, at: Date): Promise<boolean> {
  return touchProvider(tx, providerId, { active, updated_at: at });
}

/** Replaces the provider's return URLs; false if there is no such provider. */
export function writeReturnUrls(
  tx: Transaction,
  providerId: string,
  returnUrls: readonly string[],
  at: Date,
): Promise<boolean> {
  return touchProvider(tx, providerId, { return_urls: [...returnUrls], updated_at: at });
}

async function touchProvider(
  tx: Transaction,
  providerId: string,
  change: { active?: boolean; return_urls?: string[]; updated_at: Date },
): Promise<boolean> {
  const result = await tx.updateTable("providers").set(change).where("id", "=", providerId).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends every valid credential of a kind at a moment, except those that end sooner anyway. */
export async function endCredentials(
  tx: Transaction,
  ended: { providerId: string; kind: CredentialKind; endpointId: string | null; endsAt: Date },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("credentials")
    .set({ ends_at: ended.endsAt })
    .where("provider_id", "=", ended.providerId)
    .where("kind", "=", ended.kind)
    .where(sql<boolean>`webhook_endpoint_id is not distinct from ${ended.endpointId}::uuid`)
    .where((where) => where.or([where("ends_at", "is", null), where("ends_at", ">", ended.endsAt)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Keeps credentials valid that would have ended at a moment. */
export async function clearEndOfCredentials(
  tx: Transaction,
  kept: { readonly providerId: string; readonly endsAt: Date },
): Promise<void> {
  await tx
    .updateTable("credentials")
    .set({ ends_at: null })
    .where("provider_id", "=", kept.providerId)
    .where("ends_at", "=", kept.endsAt)
    .execute();
}

/** The valid credentials of a provider: first those with an end, soonest first, then the others, oldest first. */
export async function selectLiveCredentials(
  db: Database,
  { providerId, kind, at }: { providerId: string; kind?: CredentialKind; at: Date },
): Promise<StoredCredential[]> {
  const live = db
    .selectFrom("credentials")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where((where) => where.or([where("ends_at", "is", null), where("ends_at", ">", at)]))
    .orderBy(sql`ends_at asc nulls last`)
    .orderBy("created_at")
    .orderBy("id");
  const rows = await (kind === undefined ? live : live.where("kind", "=", kind)).execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    endpointId: row.webhook_endpoint_id,
    lookup: row.lookup,
    sealed: row.sealed,
    hint: row.hint,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  }));
}

/** A stored webhook secret. */
export interface SealedWebhookSecret {
  readonly provider_id: string;
  readonly sealed: string;
}

/** SQL expressions for the owner of the webhook secrets, and for the moment at which they must be valid. */
type WebhookSigner = Readonly<Record<"providerId" | "endpointId" | "at", RawBuilder<unknown>>>;

/**
 * The valid webhook secrets of an endpoint, as a subquery that gives a JSON array of `SealedWebhookSecret`: its own, or
 * else its provider's. Secrets ended by a rotation come before their successors. Null if there is none.
 */
export function sealedWebhookSecrets({ providerId, endpointId, at }: WebhookSigner): RawBuilder<unknown> {
  return sql`(
    select json_agg(
      json_build_object('provider_id', live.provider_id, 'sealed', live.sealed)
      order by live.ends_at asc nulls last, live.created_at, live.id)
    from (
      select kept.id, kept.provider_id, kept.sealed, kept.ends_at, kept.created_at, kept.webhook_endpoint_id is not null as is_own,
        bool_or(kept.webhook_endpoint_id is not null) over () as has_own
      from credentials kept
      where kept.provider_id = ${providerId} and kept.kind = 'webhook_secret'
        and (kept.webhook_endpoint_id is null or kept.webhook_endpoint_id = ${endpointId})
        and (kept.ends_at is null or kept.ends_at > ${at})
    ) as live
    where live.is_own = live.has_own
  )`;
}

/** Whether an endpoint has a separate valid webhook secret. */
export async function hasOwnWebhookSecret(db: Database, endpointId: string, at: Date): Promise<boolean> {
  const own = await db
    .selectFrom("credentials")
    .select("id")
    .where("webhook_endpoint_id", "=", endpointId)
    .where((where) => where.or([where("ends_at", "is", null), where("ends_at", ">", at)]))
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}

/** The ids of the keyring keys that sealed valid webhook secrets. */
export async function selectWebhookSecretKeys(db: Database, at: Date): Promise<string[]> {
  const rows = await db
    .selectFrom("credentials")
    .select(sql<string>`split_part(sealed, '.', 1)`.as("key"))
    .distinct()
    .where("kind", "=", "webhook_secret")
    .where("sealed", "is not", null)
    .where((where) => where.or([where("ends_at", "is", null), where("ends_at", ">", at)]))
    .execute();
  return rows.map(({ key }) => key);
}

function toProvider(row: {
  id: string;
  environment: Environment;
  name: string;
  rut: string;
  active: boolean;
  scopes: string[];
  origins: string[];
  return_urls: string[];
  is_framed: boolean;
  logo_url: string | null;
  appearance: Appearance;
  support_email: string;
  support_phone: string | null;
  support_whatsapp: string | null;
  commission_basis_points: number;
  commission_tax: CommissionTax;
  capture_first: boolean;
  card_page: boolean;
  known_patients: boolean;
  identity_trusted_days: number;
  takes_minors: boolean;
  unpaid_order_expiry_minutes: number | null;
  clock_offset_ms: number;
}): Provider {
  return {
    id: row.id,
    name: row.name,
    rut: parseRut(row.rut),
    environment: row.environment,
    active: row.active,
    scopes: row.scopes,
    origins: row.origins,
    returnUrls: row.return_urls,
    isFramed: row.is_framed,
    logoUrl: row.logo_url,
    appearance: row.appearance,
    supportEmail: row.support_email,
    supportPhone: row.support_phone,
    supportWhatsapp: row.support_whatsapp,
    settings: {
      commissionBasisPoints: row.commission_basis_points,
      commissionTax: row.commission_tax,
      captureFirst: row.capture_first,
      cardPage: row.card_page,
      knownPatients: row.known_patients,
      identityTrustedDays: row.identity_trusted_days,
      takesMinors: row.takes_minors,
      unpaidOrderExpiryMinutes: row.unpaid_order_expiry_minutes,
    },
    clockOffsetMs: row.clock_offset_ms,
  };
}

export async function selectProviderNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("providers")
    .select(["id", "name"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The current time of each provider of an environment, as a subquery: `id, now`. */
export function selectProviderClocks(environment: Environment, now: Date): RawBuilder<unknown> {
  return sql`
    select id, ${now}::timestamptz + clock_offset_ms * interval '1 millisecond' as now
    from providers where environment = ${environment}`;
}
