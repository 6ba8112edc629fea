/** This folder signs what the page around the checkout is told of a paid order, so that the partner can check it. */

import { createPublicKey } from "node:crypto";
import { exportJWK, type JWK, SignJWT } from "jose";
import { SIGNED_RECEIPT_MINUTES } from "../../contract/terms.ts";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { publishedStatus } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";

const PURPOSE = "orders.signed_receipt";
const ALGORITHM = "EdDSA";

export interface SignedReceiptDependencies {
  readonly keyring: Pick<Keyring, "signingKeys">;
  /** Real time: whoever checks a receipt has no other. */
  readonly clock: Clock;
  readonly ids: Ids;
  /** The order API's URL from outside. */
  readonly issuer: string;
}

/**
 * The signed receipt of an order that is paid and not refunded; null of any other. A compact JWS that names the order, its
 * provider and what was paid, and nothing of the patient.
 */
export async function signReceipt(
  { keyring, clock, ids, issuer }: SignedReceiptDependencies,
  order: OrderRecord,
): Promise<string | null> {
  const [key] = keyring.signingKeys(PURPOSE);
  const isPaid = publishedStatus(order.state) === "paid" && order.refunded === 0;
  if (key === undefined || !isPaid || order.paidAt === null) return null;
  const now = clock.now();
  return new SignJWT({
    status: "paid",
    amount: order.total,
    currency: "CLP",
    paid_at: order.paidAt.toISOString(),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: key.id })
    .setIssuer(issuer)
    .setAudience(order.providerId)
    .setSubject(order.orderId)
    .setJti(ids.uuid())
    .setIssuedAt(now)
    .setExpirationTime(new Date(now.getTime() + SIGNED_RECEIPT_MINUTES * MINUTE_MS))
    .sign(key.privateKey);
}

/** The public keys by which signed receipts are checked (RFC 7517); those of older keys stay as long as the keyring has them. */
export async function publicKeys(keyring: Pick<Keyring, "signingKeys">): Promise<{ readonly keys: readonly JWK[] }> {
  const keys = keyring.signingKeys(PURPOSE).map(async ({ id, privateKey }) => {
    const jwk = await exportJWK(createPublicKey(privateKey));
    return { ...jwk, kid: id, use: "sig", alg: ALGORITHM };
  });
  return { keys: await Promise.all(keys) };
}
