import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type CredentialKind, hintOf, isPublicKind, makeCredentialValue } from "./credential.ts";
import { clearEndOfCredentials, insertCredential } from "./provider-store.ts";

/** A new credential with its value. Show it now; it cannot be read again. */
export interface IssuedCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly value: string;
}

/** The keyring purpose of a kind, so that a value of one kind is invalid as another. */
export function purposeOf(kind: CredentialKind): string {
  return `credential.${kind}`;
}

/**
 * Creates a credential and stores it so that it can be recognised: public values in clear, secrets as a keyed hash,
 * webhook secrets sealed. With `endpointId`, a webhook secret belongs to that endpoint only.
 */
export async function issueCredential(
  tx: Transaction,
  { ids, keyring }: { readonly ids: Ids; readonly keyring: Pick<Keyring, "hmac" | "seal"> },
  owner: {
    readonly providerId: string;
    readonly endpointId?: string;
    readonly kind: CredentialKind;
    readonly at: Date;
    /** Valid until it is rotated if omitted. */
    readonly endsAt?: Date | null;
  },
): Promise<IssuedCredential> {
  const { kind } = owner;
  const issued = { id: ids.uuid(), kind, value: makeCredentialValue(kind, ids) };
  const kept = keptForm(kind, issued.value, keyring);
  await insertCredential(tx, owner.providerId, {
    id: issued.id,
    kind,
    endpointId: owner.endpointId ?? null,
    ...kept,
    hint: hintOf(issued.value),
    createdAt: owner.at,
    endsAt: owner.endsAt ?? null,
  });
  return issued;
}

function keptForm(kind: CredentialKind, value: string, keyring: Pick<Keyring, "hmac" | "seal">) {
  if (kind === "webhook_secret") return { lookup: null, sealed: keyring.seal(value, purposeOf(kind)) };
  return { lookup: isPublicKind(kind) ? value : keyring.hmac(purposeOf(kind), value), sealed: null };
}

/** Keeps a provider's credentials valid that would have ended at this moment. */
export async function keepCredentials(
  tx: Transaction,
  kept: { readonly providerId: string; readonly endsAt: Date },
): Promise<void> {
  await clearEndOfCredentials(tx, kept);
}
