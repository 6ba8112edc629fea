import { createRemoteJWKSet, jwtVerify } from "jose";

const { ORDER_API, PROVIDER_ID } = process.env;
const keys = createRemoteJWKSet(new URL(`${ORDER_API}/.well-known/jwks.json`));

/**
 * Reads the `signed_receipt` that your page received.
 *
 * Throws if it is not ours, was changed, has expired, belongs to another order or provider, or was shown before.
 * `remember(jti)` is yours: false if you have it already.
 */
export async function checkReceipt(signedReceipt, { orderHash, remember }) {
  const { payload } = await jwtVerify(signedReceipt, keys, {
    issuer: ORDER_API,
    audience: PROVIDER_ID,
    subject: orderHash,
    algorithms: ["EdDSA"],
    requiredClaims: ["exp", "jti"],
  });
  if (!(await remember(payload.jti))) throw new Error("This receipt was shown before.");
  return payload; // {status: "paid", amount, currency, paid_at, …}
}
