import type { SealingKey } from "bff/contract/widget-tokens";

/**
 * Thumbprints (RFC 7638) of the keys that this build accepts for sealing, as published by the processor and the
 * connector: `VITE_SEALING_KEY_PINS`, separated by commas. Without pins, as in staging, every key is accepted.
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

/** Thrown when a session's key is not pinned by the build. An attacker may be trying to read the sealed data. */
export class SealingKeyNotPinned extends Error {
  override readonly name = "SealingKeyNotPinned";
}

/** Throws `SealingKeyNotPinned` unless the key is pinned by the build. */
export async function requirePinned({ kty, n, e }: SealingKey, pins: readonly string[] = PINS): Promise<void> {
  if (pins.length === 0) return;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify({ e, kty, n })));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const thumbprint = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (!pins.includes(thumbprint)) throw new SealingKeyNotPinned();
}
