import type { InsurerAccessToSeal } from "bff/contract/onboarding";
import type { CardToSeal } from "bff/contract/orders";
import type { SealingKey } from "bff/contract/widget-tokens";
import { CompactEncrypt } from "jose";
import { requirePinned } from "./pinned-keys.ts";

/**
 * Seals a value for the gateway that may open it (compact JWE, RSA-OAEP-256 and A256GCM). The service cannot read it.
 * Rejects if the key is unusable. Never keeps or logs the value.
 *
 * Bundled with the screens that need it: browsers do not retry a failed module, and the patient would lose the card
 * they typed.
 */
export async function seal(value: CardToSeal | InsurerAccessToSeal, key: SealingKey): Promise<string> {
  await requirePinned(key);
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt({ ...key });
}
