import type { IncomingHttpHeaders } from "node:http";
import type { Credential, Endpoint } from "../contract/endpoint.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { gather } from "../platform/gather.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment, Principal, PrincipalVersion } from "../platform/provider.ts";
import { claimedKind, isPublicKind } from "./credential.ts";
import { purposeOf } from "./issue-credential.ts";
import { areUnchanged, findByCredential } from "./provider-store.ts";
import type { RememberedPrincipal, RememberedPrincipals } from "./remembered-principals.ts";

export interface AuthenticateDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "hmacsOfAllKeys">;
  readonly environment: Environment;
  /** Where callers are remembered for `recall`. */
  readonly remembered?: RememberedPrincipals;
}

/** What of a request may hold credentials. */
export interface PresentedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * Who makes a request to an endpoint; null where the endpoint needs no credential. Throws the endpoint's own 401 when a
 * credential is missing, unknown, ended, of the wrong kind or environment, or of an inactive provider (but for what patients
 * do by the service's own links), and when two credentials are of different providers.
 */
export async function authenticate(
  dependencies: AuthenticateDependencies,
  endpoint: Endpoint,
  request: PresentedRequest,
): Promise<Principal | null> {
  if (endpoint.credentials.length === 0) return null;
  const principal = await anyOf(dependencies, endpoint.credentials, request, endpoint.ofSelfServiceLinks === true);
  if (principal === null) throw refusal(endpoint, endpoint.credentials);
  for (const kind of endpoint.also ?? []) {
    const second = await anyOf(dependencies, [kind], request);
    if (second?.provider.id !== principal.provider.id) throw refusal(endpoint, [kind]);
  }
  return principal;
}

/** Confirmations that one statement makes at most, and how many such statements are under way at once. */
const CONFIRMED_AT_ONCE_MAX = 64;
const CONFIRMATIONS_UNDER_WAY_MAX = 2;

/**
 * The same as `authenticate`, for many requests: a caller that is remembered is not looked up again, but confirmed, in one
 * statement with all others that ask in the same moment. Nothing is taken from memory alone.
 */
export function createAuthentication(
  dependencies: AuthenticateDependencies,
): (endpoint: Endpoint, request: PresentedRequest) => Promise<Principal | null> {
  const isUnchanged = gather({
    underWayMax: CONFIRMATIONS_UNDER_WAY_MAX,
    itemsMax: CONFIRMED_AT_ONCE_MAX,
    run: (versions: readonly PrincipalVersion[]) => areUnchanged(dependencies.db, versions),
  });
  return async (endpoint, request) => {
    const known = recall(dependencies, endpoint, request);
    if (known !== null && (await isUnchanged(known.version))) return known.principal;
    return authenticate(dependencies, endpoint, request);
  };
}

async function anyOf(
  { db, clock, keyring, environment, remembered }: AuthenticateDependencies,
  kinds: readonly Credential[],
  request: PresentedRequest,
  alsoInactive = false,
): Promise<Principal | null> {
  for (const kind of kinds) {
    const value = claimed(kind, request);
    if (value === null) continue;
    const lookups = isPublicKind(kind) ? [value] : keyring.hmacsOfAllKeys(purposeOf(kind), value);
    const found = await findByCredential(db, { kind, lookups, environment, at: clock.now(), alsoInactive });
    if (found === null) return null;
    const { provider, credentialId, endsAt, version } = found;
    const principal: Principal = { provider, credential: kind, credentialId };
    // What is remembered opens other endpoints too.
    if (provider.active) remembered?.keep(value, { principal, version, endsAt });
    return principal;
  }
  return null;
}

/**
 * The caller as it was when it last proved who it is; null for one that is not remembered, or that must prove more than one
 * thing. It still has to be confirmed (`principalStands`) by whatever is done first for it.
 */
export function recall(
  { clock, remembered }: Pick<AuthenticateDependencies, "clock" | "remembered">,
  endpoint: Endpoint,
  request: PresentedRequest,
): RememberedPrincipal | null {
  if (remembered === undefined || endpoint.also !== undefined) return null;
  for (const kind of endpoint.credentials) {
    const value = claimed(kind, request);
    if (value === null) continue;
    const known = remembered.find(value);
    return known === undefined || (known.endsAt !== null && known.endsAt <= clock.now()) ? null : known;
  }
  return null;
}

/** What a request presents as a kind of credential, if it claims to be one: another kind is refused before any look. */
function claimed(kind: Credential, request: PresentedRequest): string | null {
  const value = presented(kind, request);
  return value === null || claimedKind(value) !== kind ? null : value;
}

/** The value that a request presents as a kind of credential, where that kind is sent. */
function presented(kind: Credential, { headers, query }: PresentedRequest): string | null {
  switch (kind) {
    case "client_secret":
    case "client_id":
      return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? null;
    case "public_key":
      return typeof query.public_key === "string" ? query.public_key : null;
    case "secret_key": {
      const header = headers["x-secret-key"];
      return typeof header === "string" ? header : null;
    }
  }
}

/** The endpoint's words for this refusal: `gastos` says `invalid_provider`, other spot endpoints `invalid_public_key`. */
function refusal(endpoint: Endpoint, kinds: readonly Credential[]): ApiError {
  const codes: readonly ErrorCode[] = kinds.includes("public_key")
    ? ["invalid_provider", "invalid_public_key", "invalid_credential"]
    : ["invalid_credential"];
  return new ApiError(codes.find((code) => endpoint.errors.includes(code)) ?? "invalid_credential");
}
