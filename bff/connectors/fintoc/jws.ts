import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { Clock } from "../../src/platform/clock.ts";
import type { Ids } from "../../src/platform/ids.ts";

/** Null for a text that is no RSA private key in PEM. */
export function readPrivateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}

const NONCE_BYTES = 16;
const base64url = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url");

/** Signs a body as Fintoc requires: a JWS (RS256) without its payload, which is the body itself. */
export function createBodySigner({
  key,
  clock,
  ids,
}: {
  readonly key: KeyObject;
  readonly clock: Clock;
  readonly ids: Ids;
}) {
  return (body: string): { readonly "fintoc-jws-signature": string } => {
    const header = {
      alg: "RS256",
      nonce: Buffer.from(ids.bytes(NONCE_BYTES)).toString("hex"),
      ts: Math.floor(clock.now().getTime() / 1_000),
      crit: ["ts", "nonce"],
    };
    const protectedHeader = base64url(JSON.stringify(header));
    const signature = sign("sha256", Buffer.from(`${protectedHeader}.${base64url(body)}`), key);
    return { "fintoc-jws-signature": `${protectedHeader}.${base64url(signature)}` };
  };
}
