import type { IncomingHttpHeaders } from "node:http";
import type { Credential, Endpoint } from "../contract/endpoint.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { CallerLookup } from "../platform/http/receive-request.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment } from "../platform/provider.ts";
import { claimedKind, isPublicKind } from "./credential.ts";
import { purposeOf } from "./credentials.ts";
import { callerWith, type PresentedCredential, providerInColumn } from "./provider-store.ts";

export interface IdentifyDependencies {
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "hmacsOfAllKeys">;
  readonly environment: Environment;
}

/** The parts of a request that may hold credentials. */
export interface PresentedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * How the statement that admits a request identifies its caller; null if the endpoint needs no credential. Throws the
 * endpoint's 401 if no credential is presented. The result leads to a 401 if a credential is unknown, expired, of the
 * wrong kind or environment, or of an inactive provider (except for patients' self-service links). Two credentials of
 * different providers lead to a 401 as well.
 */
export function identifyCaller(
  dependencies: IdentifyDependencies,
  endpoint: Endpoint,
  request: PresentedRequest,
): CallerLookup | null {
  const { credentials } = endpoint;
  if (credentials.length === 0) return null;
  const presented = firstOf(dependencies, credentials, request);
  if (presented === null) throw refusal(endpoint, credentials);
  const also = furtherCredentials(endpoint, request);
  const { environment, clock } = dependencies;
  const { kind } = presented;
  const others = also.map((needed) => firstOf(dependencies, [needed], request));
  const alsoInactive = endpoint.ofSelfServiceLinks === true;
  return {
    isSecret: !isPublicKind(kind) || also.some((needed) => needed === endpoint.optional),
    key: [presented, ...others].map((each) => `${each?.kind} ${each?.lookups[0]}`).join(` ${alsoInactive} `),
    statement: callerWith(presented, { also: others, environment, at: clock.now(), alsoInactive }),
    read({ provider, credential_id: credentialId }) {
      if (credentialId === null) throw new CallerWithoutCredential("a caller was found by no credential");
      return { provider: providerInColumn(provider), credential: also.at(-1) ?? kind, credentialId };
    },
    refusal: (what) => refusal(endpoint, what === "unknown" ? credentials : also),
  };
}

/** The credentials needed in addition to the first: those of the endpoint, and its optional one if any was sent. */
function furtherCredentials({ also = [], optional }: Endpoint, request: PresentedRequest): readonly Credential[] {
  return optional === undefined || presented(optional, request) === null ? also : [...also, optional];
}

/** Thrown when the statement returned a caller without a credential: a defect. */
class CallerWithoutCredential extends Error {
  override readonly name = "CallerWithoutCredential";
}

/** The first of these kinds of credential that the request presents. */
function firstOf(
  { keyring }: Pick<IdentifyDependencies, "keyring">,
  kinds: readonly Credential[],
  request: PresentedRequest,
): PresentedCredential | null {
  for (const kind of kinds) {
    const value = presented(kind, request);
    // A value with another kind's prefix is refused without a lookup.
    if (value === null || claimedKind(value) !== kind) continue;
    return { kind, lookups: isPublicKind(kind) ? [value] : keyring.hmacsOfAllKeys(purposeOf(kind), value) };
  }
  return null;
}

/** The value at the place in the request where this kind of credential is sent, or null. */
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

/**
 * The endpoint's error for this refusal: `gastos` has `invalid_provider`, other spot endpoints `invalid_public_key`.
 */
function refusal(endpoint: Endpoint, kinds: readonly Credential[]): ApiError {
  const codes: readonly ErrorCode[] = kinds.includes("public_key")
    ? ["invalid_provider", "invalid_public_key", "invalid_credential"]
    : ["invalid_credential"];
  return new ApiError(codes.find((code) => endpoint.errors.includes(code)) ?? "invalid_credential");
}
