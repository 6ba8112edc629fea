import type { Credential } from "../contract/endpoint.ts";
import type { Ids } from "../platform/ids.ts";

/** Every kind of credential that a provider has: four prove who calls, one signs. */
export type CredentialKind = Credential | "webhook_secret";

interface CredentialForm {
  readonly prefix: string;
  readonly randomBytes: number;
  readonly encoding: "base64" | "base64url";
  /** Public ones may live in a browser and are kept as they are. */
  readonly isPublic: boolean;
}

/** What each kind looks like. The webhook secret's form is that of Standard Webhooks: `whsec_` and standard base64. */
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

/** Longer than any credential, so that nobody has long texts hashed. */
const VALUE_LENGTH_MAX = 128;
const HINT_LENGTH = 4;

export function isPublicKind(kind: CredentialKind): boolean {
  return forms[kind].isPublic;
}

/** A new value of a kind. It holds no environment. */
export function makeCredentialValue(kind: CredentialKind, ids: Ids): string {
  const { prefix, randomBytes, encoding } = forms[kind];
  return `${prefix}${Buffer.from(ids.bytes(randomBytes)).toString(encoding)}`;
}

/** Which kind a value claims to be, by its prefix; null for none. */
export function claimedKind(value: string): CredentialKind | null {
  if (value.length > VALUE_LENGTH_MAX) return null;
  return CREDENTIAL_KINDS.find((kind) => value.startsWith(forms[kind].prefix)) ?? null;
}

/** The last characters of a value: enough to tell two secrets apart, far too little to guess one. */
export function hintOf(value: string): string {
  return value.slice(-HINT_LENGTH);
}
