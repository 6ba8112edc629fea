import { createPublicKey, type JsonWebKey, sign } from "node:crypto";
import { Router } from "express";
import { SIGNED_RECEIPT_MINUTES } from "../contract/terms.ts";
import type { Clock } from "../platform/clock.ts";
import type { Keyring } from "../platform/keyring.ts";
import { publishedStatus } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";

/** Signs the receipt of a paid order for the page around the checkout, so that the partner can verify it. */

const PURPOSE = "orders.signed_receipt";
const ALGORITHM = "EdDSA";

interface SignedReceiptDependencies {
  readonly keyring: Pick<Keyring, "signingKeys">;
  /** Real time, because partners verify a receipt by their own clocks. */
  readonly clock: Clock;
  /** The order API's URL from outside. */
  readonly issuer: string;
}

/**
 * The signed receipt of a paid order without refunds; null for any other order. A compact JWS (RFC 7515) that names the
 * order, its provider and the paid amount, but nothing about the patient. Built by hand, because libraries sign
 * asynchronously and every view of a paid order would wait.
 */
export function signReceipt({ keyring, clock, issuer }: SignedReceiptDependencies, order: OrderRecord): string | null {
  const [key] = keyring.signingKeys(PURPOSE);
  // The state says whether any part was refunded.
  if (key === undefined || publishedStatus(order.state) !== "paid" || order.paidAt === null) return null;
  const issuedAt = Math.floor(clock.now().getTime() / 1_000);
  const claims = {
    iss: issuer,
    aud: order.providerId,
    sub: order.orderId,
    // The same for every receipt of an order, so that a partner can reject a second use.
    jti: order.orderId,
    iat: issuedAt,
    exp: issuedAt + SIGNED_RECEIPT_MINUTES * 60,
    status: "paid",
    amount: order.total,
    currency: "CLP",
    paid_at: order.paidAt.toISOString(),
  };
  const signed = `${partOf({ alg: ALGORITHM, typ: "JWT", kid: key.id })}.${partOf(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString("base64url")}`;
}

function partOf(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The public keys that verify signed receipts (RFC 7517). Older keys stay as long as the keyring holds them. */
function publicKeys(keyring: Pick<Keyring, "signingKeys">): { readonly keys: readonly JsonWebKey[] } {
  const keys = keyring.signingKeys(PURPOSE).map(({ id, privateKey }) => {
    const jwk = createPublicKey(privateKey).export({ format: "jwk" });
    return { ...jwk, kid: id, use: "sig", alg: ALGORITHM };
  });
  return { keys };
}

/** A key is published with the first receipt that it signs. Partners reload the keys when they see a new key id. */
const CACHE = "public, max-age=3600";

/** `GET /.well-known/jwks.json`: the public keys of signed receipts. Needs no authentication. */
export function publicKeysRouter({ keyring }: { readonly keyring: Pick<Keyring, "signingKeys"> }): Router {
  return Router().get("/.well-known/jwks.json", (_request, response) => {
    response.setHeader("Cache-Control", CACHE);
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.type("application/jwk-set+json").send(JSON.stringify(publicKeys(keyring)));
  });
}
