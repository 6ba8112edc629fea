import type { InsurerAccessToSeal } from "bff/contract/onboarding";
import type { CardToSeal } from "bff/contract/orders";
import type { SealingKey } from "bff/contract/widget-tokens";

/** Taken out where it is imported: the build leaves the rest of the library out only there. */
async function loadEncrypt() {
  const { CompactEncrypt } = await import("jose");
  return CompactEncrypt;
}

/** Has what sealing needs come ahead; where it does not come now, the sealing itself asks for it again. */
export function prepareToSeal(): void {
  loadEncrypt().catch(() => undefined);
}

/**
 * Seals a value for the one party that may open it (compact JWE, RSA-OAEP-256 and A256GCM). The service that carries it
 * cannot read it. Rejects when the key cannot be used; never keeps or logs the value.
 */
export async function seal(value: CardToSeal | InsurerAccessToSeal, key: SealingKey): Promise<string> {
  const CompactEncrypt = await loadEncrypt();
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt({ ...key });
}
