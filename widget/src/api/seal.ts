import type { InsurerAccessToSeal } from "bff/contract/onboarding";
import type { CardToSeal } from "bff/contract/orders";
import type { SealingKey } from "bff/contract/widget-tokens";
import { CompactEncrypt } from "jose";

/**
 * Seals a value for the one party that may open it (compact JWE, RSA-OAEP-256 and A256GCM). The service that carries it
 * cannot read it. Rejects when the key cannot be used; never keeps or logs the value. It comes in one piece with the screens
 * that need it: a browser does not ask again for a piece of its own that was lost, and the typed card would be lost with it.
 */
export async function seal(value: CardToSeal | InsurerAccessToSeal, key: SealingKey): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt({ ...key });
}
