import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { expect, it } from "vitest";
import { pinsIn, requirePinned, SealingKeyNotPinned } from "./pinned-keys.ts";

async function newKey() {
  const { publicKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
  const { n = "", e = "" } = await exportJWK(publicKey);
  return { kty: "RSA", kid: "card-1", alg: "RSA-OAEP-256", use: "enc", n, e } as const;
}

it("sealing is refused for a swapped key, even under the pinned key's id", async () => {
  const [processors, swapped] = [await newKey(), await newKey()];
  const pins = pinsIn(` ${await calculateJwkThumbprint(processors)}, another`);
  await expect(requirePinned(processors, pins)).resolves.toBeUndefined();
  await expect(requirePinned(swapped, pins)).rejects.toThrow(SealingKeyNotPinned);
});

it("a build without pins accepts every key", async () => {
  expect(pinsIn(undefined)).toEqual([]);
  await expect(requirePinned(await newKey(), pinsIn(""))).resolves.toBeUndefined();
});
