import type { SealingKey } from "bff/contract/widget-tokens";

/**
 * The thumbprints (RFC 7638) of the keys that this build seals for, as the processor and the connector have told them
 * to the builder: `VITE_SEALING_KEY_PINS`, with commas between. Without any, as in staging, every key is taken.
 */
const PINS = pinsIn(import.meta.env.VITE_SEALING_KEY_PINS);

export function pinsIn(text: unknown): readonly string[] {
  return typeof text === "string"
    ? text
        .split(",")
        .map((pin) => pin.trim())
        .filter((pin) => pin !== "")
    : [];
}

/** Thrown when a session brings a key that is none of the build's: somebody may want to read what is sealed. */
export class SealingKeyNotPinned extends Error {
  override readonly name = "SealingKeyNotPinned";
}

/** Throws `SealingKeyNotPinned` unless the key is one of the build's. */
export async function requirePinned({ kty, n, e }: SealingKey, pins: readonly string[] = PINS): Promise<void> {
  if (pins.length === 0) return;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify({ e, kty, n })));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const thumbprint = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (!pins.includes(thumbprint)) throw new SealingKeyNotPinned();
}
