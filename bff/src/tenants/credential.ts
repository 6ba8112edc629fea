import type { Credential } from "../contract/endpoint.ts";
import type { Ids } from "../platform/ids.ts";

/** Every kind of credential of a provider: four identify the caller, one signs webhooks. */
export type CredentialKind = Credential | "webhook_secret";

interface CredentialForm {
  readonly prefix: string;
  readonly randomBytes: number;
  readonly encoding: "base64" | "base64url";
  /** Public credentials may be in a browser and are stored in clear. */
  readonly isPublic: boolean;
}

/** The format of each kind. A webhook secret has the format of Standard Webhooks: `whsec_` and standard base64. */
const forms: Readonly<Record<CredentialKind, CredentialForm>> = {
  client_secret: { prefix: "cs_", randomBytes: 32, encoding: "base64url", isPublic: false },
  client_id: { prefix: "ci_", randomBytes: 16, encoding: "base64url", isPublic: true },
  public_key: { prefix: "PK_", randomBytes: 16, encoding: "base64url", isPublic: true },
  webhook_secret: { prefix: "whsec_", randomBytes: 32, encoding: "base64", isPublic: false },
  secret_key: { prefix: "ak_", randomBytes: 32, encoding: "base64url", isPublic: false },
};

export const CREDENTIAL_KINDS = [
  "client_secret",
  "client_id",
  "public_key",
  "webhook_secret",
  "secret_key",
] as const satisfies readonly CredentialKind[];

/** Longer than any credential, so that a caller cannot make the service hash long texts. */
const VALUE_LENGTH_MAX = 128;
const HINT_LENGTH = 4;

export function isPublicKind(kind: CredentialKind): boolean {
  return forms[kind].isPublic;
}

/** Creates a new value of a kind. It does not reveal the environment. */
export function makeCredentialValue(kind: CredentialKind, ids: Ids): string {
  const { prefix, randomBytes, encoding } = forms[kind];
  return `${prefix}${Buffer.from(ids.bytes(randomBytes)).toString(encoding)}`;
}

/** The characters of both encodings. The database cannot be asked for a text with NUL. */
const VALUE = /^[\w+/=-]+$/;

/** The kind that a value's prefix indicates; null if none, or if no credential can have this value. */
export function claimedKind(value: string): CredentialKind | null {
  if (value.length > VALUE_LENGTH_MAX || !VALUE.test(value)) return null;
  return CREDENTIAL_KINDS.find((kind) => value.startsWith(forms[kind].prefix)) ?? null;
}

/** The last characters of a value: enough to distinguish two secrets, far too few to guess one. */
export function hintOf(value: string): string {
  return value.slice(-HINT_LENGTH);
}
