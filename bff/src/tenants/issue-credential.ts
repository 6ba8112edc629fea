import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type CredentialKind, hintOf, isPublicKind, makeCredentialValue } from "./credential.ts";
import { insertCredential } from "./provider-store.ts";

/** A credential at the one moment at which its value is known. Show it once; it cannot be read again. */
export interface IssuedCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly value: string;
}

/** What a value is hashed or sealed for, so that one kind's is nothing to another. */
export function purposeOf(kind: CredentialKind): string {
  return `credential.${kind}`;
}

/**
 * Makes a credential and keeps what is needed to know it again: public ones as they are, secrets as a keyed hash, a
 * webhook secret sealed. `endpointId` makes a webhook secret that of one endpoint.
 */
export async function issueCredential(
  tx: Transaction,
  { ids, keyring }: { readonly ids: Ids; readonly keyring: Pick<Keyring, "hmac" | "seal"> },
  owner: {
    readonly providerId: string;
    readonly endpointId?: string;
    readonly kind: CredentialKind;
    readonly at: Date;
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
    endsAt: null,
  });
  return issued;
}

function keptForm(kind: CredentialKind, value: string, keyring: Pick<Keyring, "hmac" | "seal">) {
  if (kind === "webhook_secret") return { lookup: null, sealed: keyring.seal(value, purposeOf(kind)) };
  return { lookup: isPublicKind(kind) ? value : keyring.hmac(purposeOf(kind), value), sealed: null };
}
