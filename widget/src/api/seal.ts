import type { InsurerAccessToSeal } from "bff/contract/onboarding";
import type { CardToSeal } from "bff/contract/orders";
import type { SealingKey } from "bff/contract/widget-tokens";
import { CompactEncrypt } from "jose";
import { requirePinned } from "./pinned-keys.ts";

/**
 * Seals a value for the one gateway that may open it (compact JWE, RSA-OAEP-256 and A256GCM): the service passes on
 * what it cannot read. Rejects when the key cannot be used; never keeps or logs the value. It is loaded with the
 * screens that need it: browsers do not ask again for a module of its own that was lost, and the typed card would be
 * lost with it.
 */
export async function seal(value: CardToSeal | InsurerAccessToSeal, key: SealingKey): Promise<string> {
  await requirePinned(key);
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt({ ...key });
}
