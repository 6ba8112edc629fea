import { type CryptoKey, compactDecrypt, decodeProtectedHeader, exportJWK, generateKeyPair, importJWK } from "jose";
import * as z from "zod/mini";
import { SEALED_VALUE_LENGTH_MAX } from "../../src/contract/orders.ts";
import { type SealingKey, sealingKeySchema } from "../../src/contract/widget-tokens.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import {
  findNewestSealingKey,
  findPrivateSealingKey,
  insertSealingKey,
  type PrivateSealingKey,
} from "./sealing-key-store.ts";

const ALGORITHM = "RSA-OAEP-256";
const ENCRYPTION = "A256GCM";
const MODULUS_BITS = 2048;

/** No other headers are allowed, so that a sealed value cannot request compression or bring its own key. */
const headerSchema = z.strictObject({
  alg: z.literal(ALGORITHM),
  enc: z.literal(ENCRYPTION),
  kid: z.string().check(z.maxLength(64)),
  typ: z.optional(z.string()),
  cty: z.optional(z.string()),
});

/** The key pairs of one gateway of the sandbox. Browsers use them to seal data for that gateway. */
export interface SealingKeys {
  /** The newest public key; creates the first one if there is none. */
  newest(): Promise<SealingKey>;
  /** Creates a new pair and publishes it. Values that were sealed for older pairs can still be opened. */
  rotate(): Promise<SealingKey>;
  /** The JSON in a sealed value; `null` if it is too long, malformed, tampered with, or sealed for another key. */
  open(sealed: string): Promise<unknown>;
}

export function createSealingKeys(
  party: string,
  dependencies: { readonly db: Database; readonly ids: Ids; readonly clock: Clock },
): SealingKeys {
  const { db } = dependencies;
  const opened = new Map<string, CryptoKey | Uint8Array>();
  const rotate = () => makeKeyPair(party, dependencies);
  async function privateKey(kid: string): Promise<CryptoKey | Uint8Array | null> {
    const known = opened.get(kid);
    if (known !== undefined) return known;
    const stored = await findPrivateSealingKey(db, { party, kid });
    if (stored === undefined) return null;
    const key = await importJWK(stored, ALGORITHM);
    opened.set(kid, key);
    return key;
  }
  return {
    newest: async () => (await findNewestSealingKey(db, party)) ?? rotate(),
    rotate,
    open: (sealed) => openSealed(sealed, privateKey),
  };
}

async function makeKeyPair(
  party: string,
  { db, ids, clock }: { db: Database; ids: Ids; clock: Clock },
): Promise<SealingKey> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
  const kid = ids.uuid();
  const { kty, n, e } = await exportJWK(pair.publicKey);
  const publicKey = sealingKeySchema.parse({ kty, kid, alg: ALGORITHM, use: "enc", n, e });
  const privateKey: PrivateSealingKey = z
    .record(z.string(), z.string())
    .parse({ ...(await exportJWK(pair.privateKey)), kid, alg: ALGORITHM, use: "enc" });
  await insertSealingKey(db, { party, publicKey, privateKey, createdAt: clock.now() });
  return publicKey;
}

async function openSealed(
  sealed: string,
  privateKey: (kid: string) => Promise<CryptoKey | Uint8Array | null>,
): Promise<unknown> {
  if (sealed.length > SEALED_VALUE_LENGTH_MAX) return null;
  const kid = keyIdOf(sealed);
  const key = kid === null ? null : await privateKey(kid);
  if (key === null) return null;
  try {
    const { plaintext } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: [ALGORITHM],
      contentEncryptionAlgorithms: [ENCRYPTION],
    });
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plaintext));
  } catch {
    // Every failure gives the same result, because an error's text might quote the sealed content.
    return null;
  }
}

function keyIdOf(sealed: string): string | null {
  try {
    const header = headerSchema.safeParse(decodeProtectedHeader(sealed));
    return header.success ? header.data.kid : null;
  } catch {
    return null;
  }
}
