import type { RawBuilder } from "kysely";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment, Provider } from "../platform/provider.ts";
import { type CredentialKind, claimedKind } from "./credential.ts";
import {
  environmentColumn,
  findByCredential,
  findProviderById,
  isOriginRegistered,
  providerColumn,
  publicCredentialsColumn,
  readPublicCredentials,
  selectLiveCredentials,
  selectProviderClocks,
  selectProviderNames,
  selectProviders,
} from "./provider-store.ts";

/*
 * The providers (partners): their terms, credentials, origins and centres. Other features read them through this file.
 */

/** Finds a provider by id; null if there is none. */
export function findProvider(db: Database, id: string): Promise<Provider | null> {
  return findProviderById(db, id);
}

/** A provider as a column of another feature's statement; `id` is an expression of that statement. */
export function namedProvider(id: StatementPart): ReadColumn<Provider> {
  return providerColumn(id);
}

/** The environment of a provider, as an expression of another feature's statement. */
export function namedEnvironment(providerId: StatementPart): StatementPart {
  return environmentColumn(providerId);
}

/** The names of providers by id. */
export function providerNames(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return selectProviderNames(db, ids);
}

/** The provider of a stored row, with its present clock. Throws `ProviderNotFound`. */
export async function requireProvider(db: Database, id: string): Promise<Provider> {
  const provider = await findProviderById(db, id);
  if (provider === null) throw new ProviderNotFound("There is no provider with this id.");
  return provider;
}

/** The current time of each provider of an environment, as a subquery for another feature's statement: `id, now`. */
export function providerClocks(environment: Environment, now: Date): RawBuilder<unknown> {
  return selectProviderClocks(environment, now);
}

/** All providers of an environment, or only those with a RUT, oldest first. */
export function listProviders(db: Database, environment: Environment, rut?: string): Promise<Provider[]> {
  return selectProviders(db, environment, rut);
}

/** A valid credential as its owner may see it: a public one in full, a secret one by its last characters. */
export interface ShownCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly value: string | null;
  readonly hint: string;
  readonly createdAt: Date;
  readonly endsAt: Date | null;
}

/** The valid credentials of a provider, oldest first; secrets cannot be read again. */
export async function showCredentials(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  providerId: string,
): Promise<ShownCredential[]> {
  const live = await selectLiveCredentials(db, { providerId, at: clock.now() });
  return live
    .filter(({ endpointId }) => endpointId === null)
    .map(({ id, kind, lookup, hint, createdAt, endsAt }) => ({
      id,
      kind,
      value: kind === "client_id" || kind === "public_key" ? lookup : null,
      hint,
      createdAt,
      endsAt,
    }));
}

/** The newest `client_id` and `public_key` of a provider, for the widget's session and for links. */
export interface PublicCredentials {
  readonly clientId: string;
  readonly publicKey: string;
}

/** A provider's public credentials as a column of another feature's statement; null if either is missing. */
export function namedCredentials(providerId: StatementPart, at: Date): ReadColumn<PublicCredentials> {
  return publicCredentialsColumn(providerId, at);
}

/** A provider's public credentials; null if either is missing. */
export function publicCredentials(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  providerId: string,
): Promise<PublicCredentials | null> {
  return readPublicCredentials(db, providerId, clock.now());
}

/** Whether any active provider of the environment has registered this origin. */
export function isRegisteredOrigin(db: Database, origin: string, environment: Environment): Promise<boolean> {
  return isOriginRegistered(db, origin, environment);
}

/** The active provider with this valid public key; null if there is none. */
export async function providerOfPublicKey(
  { db, clock, environment }: { readonly db: Database; readonly clock: Clock; readonly environment: Environment },
  publicKey: string,
): Promise<Provider | null> {
  if (claimedKind(publicKey) !== "public_key") return null;
  return findByCredential(db, { kind: "public_key", lookups: [publicKey], environment, at: clock.now() });
}

/** The dependencies of operations on providers. */
export interface ProviderOperations {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly environment: Environment;
  /** The actor, for the audit trail: `operator:<name>` or `credential:<kind>`; omitted for the service itself. */
  readonly actor?: string;
  /** The credential of the actor; omitted if there is none. */
  readonly credentialId?: string | null;
}

/** Thrown when an operation names a provider that does not exist in this environment. */
export class ProviderNotFound extends Error {
  override readonly name = "ProviderNotFound";
  readonly code = "provider_not_found";
}

/** Records an actor's change of a provider in the audit trail, in the transaction of the change. */
export function auditProvider(
  tx: Transaction,
  {
    ids,
    clock,
    actor = "service",
    credentialId = null,
  }: Pick<ProviderOperations, "ids" | "clock" | "actor" | "credentialId">,
  { act, providerId, details = {} }: { act: string; providerId: string; details?: object },
): Promise<void> {
  const subject = { kind: "provider", id: providerId };
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor,
    credentialId,
    act,
    subject,
    details,
    at: clock.now(),
  });
}
